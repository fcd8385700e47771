// For the server: detects changes of the tokens file. For commands: waits until a running server uses a changed file.
//
// The server detects a change by comparing the identity of the loaded file with the identity of the file at the path.
// The server keeps the loaded file open, because the inode number of a closed and removed file could be reused. Two
// processes use the tokens: the engine (band-server) and band-http, which checks the token of each request. When both
// use the tokens of the loaded file, the server writes the identity of that file to run_dir/tokens. confirm_tokens()
// waits until run_dir/tokens contains the identity of the changed file.
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
  std::int64_t modified_ns = 0, changed_ns = 0;  // st_mtim and st_ctim in nanoseconds

  static FileIdentity of(const struct stat& info);
  bool operator==(const FileIdentity&) const = default;
  std::string text() const;  // the members as decimal numbers with `:` between them
};

class TokensFile {
 public:
  explicit TokensFile(std::string path) : path_(std::move(path)) {}

  // Loads the file at the path. identity() is then the identity of the file that was read. Returns the errors of
  // load_tokens(), and an error when the file changes during each of several reads. After an error no file is loaded.
  Result<std::vector<Token>> load();
  // Returns true when the file at the path is not the loaded file, was changed after load(), or does not exist; or when
  // no file is loaded. File times have the resolution of a clock tick, so two changes in one tick can have the same
  // time, and the second would be undetected. Therefore returns true also when the loaded file had been changed less
  // than 0.1 s before load().
  bool changed() const;
  const std::optional<FileIdentity>& identity() const { return identity_; }  // nullopt: no file is loaded

 private:
  const std::string path_;
  base::Fd loaded_;
  std::optional<FileIdentity> identity_;
  bool fresh_ = false;
};

// For the server: writes to run_dir/tokens the identity and the path of the tokens file. This means that the tokens of
// this file are valid, and no others.
Status announce_tokens(const Paths& paths, const FileIdentity& identity);

// For commands: sends SIGHUP to a running server, so that the server checks its tokens file immediately. Returns when
// the server uses the current content of `paths.tokens`. Returns immediately when no server runs, or when the running
// server uses a tokens file at another path. Returns Code::ServerUnreachable after `ms` milliseconds.
Status confirm_tokens(const Paths& paths, int ms = 10'000);

}  // namespace band::admin
