// The tokens file as a running server follows it, and how a command learns that the server has taken a change.
//
// The server keeps the file that it has loaded open: its inode cannot become another file's while it is compared with
// what lies at the path. When everything that depends on the tokens knows them, the server writes the loaded file's
// identity to run_dir/tokens; that is what confirm_tokens() waits for.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/admin/paths.h"
#include "server/admin/tokens.h"
#include "server/base/fd.h"

namespace band::admin {

struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  std::int64_t modified_ns = 0, changed_ns = 0;

  static FileIdentity of(const struct stat& info);
  bool operator==(const FileIdentity&) const = default;
  std::string text() const;
};

class TokensFile {
 public:
  explicit TokensFile(std::string path) : path_(std::move(path)) {}

  // Loads what lies at the path; the identity is the one of the very descriptor that was read. Errors as
  // load_tokens(); then nothing is loaded any longer.
  Result<std::vector<Token>> load();
  // Lies something else there than what was loaded? Also true after a load in the moment of a change: times of files
  // have the grain of a clock tick, and a second change within it would look like none.
  bool changed() const;
  const std::optional<FileIdentity>& identity() const { return identity_; }

 private:
  const std::string path_;
  base::Fd loaded_;
  std::optional<FileIdentity> identity_;
  bool fresh_ = false;
};

// For the server: the tokens of this identity are in force, and only they.
Status announce_tokens(const Paths& paths, const FileIdentity& identity);

// For commands: returns when a server that runs has taken the tokens file as it is now, at once when none runs. Wakes
// it first. Code::ServerUnreachable after `ms` milliseconds.
Status confirm_tokens(const Paths& paths, int ms = 10'000);

}  // namespace band::admin
