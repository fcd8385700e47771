// How a server follows the tokens file, and how a command waits for the server.
#include <fcntl.h>
#include <signal.h>

#include "schemas/wire/wire.h"
#include "server/admin/commands.h"
#include "server/admin/service.h"
#include "server/admin/tokens_file.h"
#include "server/base/io.h"
#include "tests/pure/server/admin/admin_test.h"

using namespace band;
using namespace admin_test;

namespace {

ino_t inode_of(const std::string& file) {
  struct stat info {};
  REQUIRE(::stat(file.c_str(), &info) == 0);
  return info.st_ino;
}

std::string line_of(const std::string& name, const std::string& id) {
  return name + " " + id + " " + std::string(64, id[0]) + " 2026-01-02T03:04:05Z\n";
}

// A file that was loaded so long after its change that its times identify it.
void settle() { ::usleep(150'000); }

}  // namespace

TEST_CASE("a change of the tokens file is detected although the file's inode number is reused") {
  TempDir dir("/var/tmp");  // on tmpfs, which /tmp may be, no number is reused
  const std::string file = dir.root + "/tokens";
  REQUIRE(add_token(file, "stays").ok());
  // The control: while no process holds the file open, its number is reused within a few changes.
  const ino_t first = inode_of(file);
  bool back = false;
  for (int i = 0; i < 64 && !back; ++i) {
    REQUIRE(base::write_file(file, line_of("other", "00000001"), 0600).ok());
    back = inode_of(file) == first;
  }
  CHECK_MESSAGE(back, "this file system never reuses the inode number of a removed file");
  TokensFile tokens(file);
  for (int round = 0; round < 4; ++round) {
    settle();
    REQUIRE(tokens.load().ok());
    REQUIRE(!tokens.changed());
    // Revoked, and then a file that could have its number, one check later.
    REQUIRE(base::write_file(file, line_of("other", "00000002"), 0600).ok());
    REQUIRE(base::write_file(file, line_of("other", "00000003"), 0600).ok());
    CHECK(tokens.changed());
    CHECK(inode_of(file) != tokens.identity()->inode);
  }
}

TEST_CASE("a change in place with the same length and the old time is detected, and one during the load") {
  TempDir dir;
  const std::string file = dir.root + "/tokens";
  write(file, line_of("one", "00000001"));
  settle();
  TokensFile tokens(file);
  REQUIRE(tokens.load().ok());
  REQUIRE(!tokens.changed());
  struct stat before {};
  REQUIRE(::stat(file.c_str(), &before) == 0);
  write(file, line_of("two", "00000002"));
  const timespec times[2] = {before.st_atim, before.st_mtim};
  REQUIRE(::utimensat(AT_FDCWD, file.c_str(), times, 0) == 0);
  CHECK(tokens.changed());
  const auto again = tokens.load();  // immediately
  REQUIRE(again.ok());
  CHECK(again->at(0).name == "two");
  CHECK(tokens.changed());  // the next change could have the same times
  settle();
  REQUIRE(tokens.load().ok());
  CHECK(!tokens.changed());
  fs::remove(file);
  CHECK(tokens.changed());
  CHECK(!tokens.load().ok());
  CHECK(tokens.changed());
}

TEST_CASE("a command waits for a running server only, and reports an error after its timeout") {
  TempDir dir;
  const Paths paths = paths_in(dir.root);
  write(paths.tokens, line_of("one", "00000001"));
  CHECK(confirm_tokens(paths, 0).ok());  // no server runs
  int ready[2], go[2];
  REQUIRE(::pipe2(ready, O_CLOEXEC) == 0);
  REQUIRE(::pipe2(go, O_CLOEXEC) == 0);
  const pid_t server = ::fork();
  if (server == 0) {
    ::close(go[1]);
    ::signal(SIGHUP, SIG_IGN);
    const auto claimed = claim(paths);
    char byte = claimed.ok() ? 'y' : 'n';
    if (::write(ready[1], &byte, 1) == 1 && ::read(go[0], &byte, 1) >= 0) ::_exit(0);
    ::_exit(1);
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  REQUIRE(byte == 'y');
  CHECK(!confirm_tokens(paths, 100).ok());  // it is starting, and has announced nothing
  TokensFile tokens(paths.tokens);
  REQUIRE(tokens.load().ok());
  REQUIRE(announce_tokens(paths, *tokens.identity()).ok());
  CHECK(mode_of(paths.tokens_file_in_force()) == 0600);
  CHECK(confirm_tokens(paths, 100).ok());
  REQUIRE(revoke_token(paths.tokens, "one").ok());
  const auto late = confirm_tokens(paths, 100);
  REQUIRE(!late.ok());
  CHECK(late.error().code == Code::ServerUnreachable);
  CHECK(late.error().message().find("did not confirm") != std::string::npos);
  // A server with another tokens file does not concern this one.
  Paths other = paths;
  other.tokens = dir.root + "/etc/others";
  write(other.tokens, line_of("one", "00000001"));
  REQUIRE(announce_tokens(other, *tokens.identity()).ok());
  CHECK(confirm_tokens(paths, 100).ok());
  ::close(go[1]);
  REQUIRE(::waitpid(server, nullptr, 0) == server);
  for (const int fd : {ready[0], ready[1], go[0]}) ::close(fd);
}

TEST_CASE(
    "where the configuration cannot be read, the token is removed, and revoke fails because no server was notified") {
  if (::geteuid() != 0) FAIL("needs root, as `band-server token` does");
  TempDir dir;
  Paths paths = paths_in(dir.root);
  write(paths.tokens, line_of("one", "00000001"));
  paths.why_no_run_dir = "server.yaml:1:1: this is not YAML";
  CHECK(run_command(paths, {"token", "revoke", "one"}) == exit_code(Code::ServerUnreachable));
  CHECK(load_tokens(paths.tokens)->empty());
}
