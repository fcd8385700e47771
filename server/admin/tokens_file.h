// For the server: detects changes of the tokens file. For commands: waits until a running server uses a changed file.
//
// The server detects a change by comparing the identity of the loaded file with the identity of the file at the path.
// The server keeps the loaded file open, because the inode number of a closed and removed file could be reused. When
// the engine and band-http use the tokens of the loaded file, the server writes the identity of that file to
// run_dir/tokens. confirm_tokens() waits until run_dir/tokens contains the identity of the changed file.
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

  // Loads the file at the path. identity() is then the identity of the file that was read. Errors as load_tokens();
  // after an error no file is loaded.
  Result<std::vector<Token>> load();
  // Returns true when the file at the path is not the loaded file, was changed after load(), or does not exist; or when
  // no file is loaded. Returns true also when the loaded file was changed so shortly before load() that a second change
  // would be undetected: file times have the resolution of a clock tick.
  bool changed() const;
  const std::optional<FileIdentity>& identity() const { return identity_; }

 private:
  const std::string path_;
  base::Fd loaded_;
  std::optional<FileIdentity> identity_;
  bool fresh_ = false;
};

// For the server: announces in run_dir/tokens that exactly the tokens of this file are valid.
Status announce_tokens(const Paths& paths, const FileIdentity& identity);

// For commands: sends SIGHUP to a running server, so that it checks its tokens file immediately, and returns when the
// server uses the current tokens file. Returns immediately when no server runs. Returns Code::ServerUnreachable after
// `ms` milliseconds.
Status confirm_tokens(const Paths& paths, int ms = 10'000);

}  // namespace band::admin
