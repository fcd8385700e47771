// Follows changes of the tokens file in a running server, and lets a command wait until the server has loaded a change.
//
// The server keeps the loaded file open, so that its inode number cannot be reused while it is compared with that of
// the file at the path. When every part that depends on the tokens has them, the server writes the loaded file's
// identity to run_dir/tokens; confirm_tokens() waits for that.
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

  // Loads the file at the path. The identity is that of the descriptor that was read. Errors as load_tokens();
  // afterwards no file is loaded.
  Result<std::vector<Token>> load();
  // Returns true when the file at the path is not the loaded one. Also true after a load that immediately followed a
  // change: file times have the resolution of a clock tick, and a second change within the same tick would remain
  // undetected.
  bool changed() const;
  const std::optional<FileIdentity>& identity() const { return identity_; }

 private:
  const std::string path_;
  base::Fd loaded_;
  std::optional<FileIdentity> identity_;
  bool fresh_ = false;
};

// For the server: announces that exactly the tokens of this file are valid.
Status announce_tokens(const Paths& paths, const FileIdentity& identity);

// For commands: wakes a running server, and returns when it has loaded the current tokens file; immediately when none
// runs. Code::ServerUnreachable after `ms` milliseconds.
Status confirm_tokens(const Paths& paths, int ms = 10'000);

}  // namespace band::admin
