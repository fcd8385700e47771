// Tokens, and the files of setup and teardown, all in a directory of the test.
#include <sched.h>
#include <sys/mount.h>

#include <tuple>

#include "schemas/wire/wire.h"
#include "server/admin/commands.h"
#include "server/admin/setup.h"
#include "server/admin/teardown.h"
#include "server/admin/tokens.h"
#include "server/admin/unit.h"
#include "server/policy/site_config.h"
#include "tests/pure/server/admin/admin_test.h"

using namespace band;
using namespace admin_test;

namespace {

// Afterwards the caller's mounts are visible to no other process. Without root it uses a user namespace.
bool own_mounts() {
  if (::geteuid() != 0) return ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
  return ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

const std::string kHash(64, 'a');

}  // namespace

// ---- tokens ---------------------------------------------------------------------------------------------------------

TEST_CASE("a token that was added is in the file as its hash only") {
  TempDir dir;
  const std::string file = dir.root + "/tokens";
  const auto token = add_token(file, "laptop");
  REQUIRE(token.ok());
  REQUIRE(split_token(*token).has_value());
  const auto tokens = load_tokens(file);
  REQUIRE(tokens.ok());
  REQUIRE(tokens->size() == 1);
  CHECK(tokens->at(0).name == "laptop");
  CHECK(tokens->at(0).id == split_token(*token)->id);
  CHECK(tokens->at(0).hash == token_hash(*token));
  CHECK(read(file).find(token->substr(token->size() - 64)) == std::string::npos);
  CHECK(mode_of(file) == 0600);
}

TEST_CASE("a name cannot be used twice, and a refused name changes nothing") {
  TempDir dir;
  const std::string file = dir.root + "/tokens";
  REQUIRE(add_token(file, "laptop").ok());
  const std::string before = read(file);
  const auto again = add_token(file, "laptop");
  REQUIRE(!again.ok());
  CHECK(again.error().code == Code::Usage);
  for (const char* name : {"", "-x", "a b", "a\nb", ".a", "a/b", "\xc3\xa4"}) CHECK(!add_token(file, name).ok());
  CHECK(!add_token(file, std::string(65, 'a')).ok());
  CHECK(add_token(file, std::string(64, 'a')).ok());
  REQUIRE(revoke_token(file, std::string(64, 'a')).ok());
  CHECK(read(file) == before);
}

TEST_CASE("revoking removes exactly the named token") {
  TempDir dir;
  const std::string file = dir.root + "/tokens";
  REQUIRE(add_token(file, "one").ok());
  REQUIRE(add_token(file, "two").ok());
  REQUIRE(revoke_token(file, "one").ok());
  const auto tokens = load_tokens(file);
  REQUIRE(tokens.ok());
  REQUIRE(tokens->size() == 1);
  CHECK(tokens->at(0).name == "two");
  const auto unknown = revoke_token(file, "one");
  REQUIRE(!unknown.ok());
  CHECK(unknown.error().hint.find("two") != std::string::npos);
}

TEST_CASE("a running server can detect every change of the tokens by stat") {
  TempDir dir;
  const std::string file = dir.root + "/tokens";
  const auto stamp = [&] {
    struct stat info {};
    REQUIRE(::stat(file.c_str(), &info) == 0);
    return std::tuple(info.st_ino, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
  };
  REQUIRE(add_token(file, "one").ok());
  const auto first = stamp();
  REQUIRE(add_token(file, "two").ok());
  const auto second = stamp();
  CHECK(first != second);
  REQUIRE(revoke_token(file, "two").ok());
  CHECK(second != stamp());
}

TEST_CASE("a file that a killed writer left next to the tokens does not block a later change") {
  TempDir dir;
  const std::string file = dir.root + "/tokens";
  CHECK(in_child([&] {
          // A killed process with the same pid would have left this file.
          write(file + ".new." + std::to_string(::getpid()), "half a li");
          return add_token(file, "one").ok() && add_token(file, "two").ok() ? 0 : 1;
        }) == 0);
  CHECK(load_tokens(file)->size() == 2);
  // A writer that succeeds leaves no file.
  CHECK(std::distance(fs::directory_iterator(dir.root), fs::directory_iterator()) == 2);
}

TEST_CASE("a tokens file that others can access is refused") {
  TempDir dir;
  const std::string file = dir.root + "/tokens";
  REQUIRE(add_token(file, "one").ok());
  CHECK(load_tokens(file).ok());  // the control
  for (const mode_t mode : {0640, 0604, 0620, 0601}) {
    ::chmod(file.c_str(), mode);
    CHECK(!load_tokens(file).ok());
    CHECK(!add_token(file, "two").ok());
    CHECK(!revoke_token(file, "one").ok());
  }
  ::chmod(file.c_str(), 0600);
  CHECK(load_tokens(file).ok());
  if (::geteuid() == 0) {
    REQUIRE(::chown(file.c_str(), 65534, 65534) == 0);
    const auto stolen = load_tokens(file);
    REQUIRE(!stolen.ok());
    CHECK(stolen.error().message().find("65534") != std::string::npos);
  }
}

TEST_CASE("a link, a FIFO or a directory in place of the tokens file is refused without waiting") {
  TempDir dir;
  const std::string real = dir.root + "/real", link = dir.root + "/link", fifo = dir.root + "/fifo";
  REQUIRE(add_token(real, "one").ok());
  fs::create_symlink(real, link);
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  for (const std::string& path : {link, fifo, dir.root, dir.root + "/absent"}) CHECK(!load_tokens(path).ok());
  CHECK(!add_token(link, "two").ok());
  CHECK(load_tokens(real)->size() == 1);
}

TEST_CASE("a damaged tokens file is refused as a whole, with the line's number and without its content") {
  TempDir dir;
  const std::string file = dir.root + "/tokens";
  const std::string good = "one 00000001 " + kHash + " 2026-01-02T03:04:05Z\n";
  write(file, good);
  REQUIRE(load_tokens(file).ok());  // the control
  const std::vector<std::string> bad = {
      "one",
      "two 00000002 " + kHash + "\n",
      "two 00000002 " + kHash + " 2026-01-02T03:04:05Z extra\n",
      "two 0000000G " + kHash + " 2026-01-02T03:04:05Z\n",
      "two 00000002 " + kHash.substr(1) + " 2026-01-02T03:04:05Z\n",
      "two 00000002 " + kHash + " yesterday-it-was-so.\n",
      "t/o 00000002 " + kHash + " 2026-01-02T03:04:05Z\n",
      "one 00000002 " + kHash + " 2026-01-02T03:04:05Z\n",
      "two 00000001 " + kHash + " 2026-01-02T03:04:05Z\n",
      "two 00000002 " + kHash + " 2026-01-02T03:04:05Z",  // truncated
      "\n",
      "two  00000002 " + kHash + " 2026-01-02T03:04:05Z\n",
  };
  for (const std::string& line : bad) {
    CAPTURE(line);
    write(file, good + line);
    const auto tokens = load_tokens(file);
    REQUIRE(!tokens.ok());
    CHECK(tokens.error().message().find(file + ":2:") != std::string::npos);
    CHECK(tokens.error().message().find(kHash.substr(1)) == std::string::npos);
  }
  write(file, std::string(kMaxTokensFileBytes + 1, '\n'));
  CHECK(!load_tokens(file).ok());
}

TEST_CASE("tokens that are added concurrently are all stored") {
  TempDir dir;
  const std::string file = dir.root + "/tokens";
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool fine = true;
      for (int k = 0; k < 4; ++k) fine = add_token(file, "t" + std::to_string(i * 4 + k)).ok() && fine;
      ::_exit(fine ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  const auto tokens = load_tokens(file);
  REQUIRE(tokens.ok());
  CHECK(tokens->size() == 32);
}

// ---- files of setup and teardown ------------------------------------------------------------------------------------

TEST_CASE("setup makes its files with their modes, and a second run changes nothing") {
  TempDir dir;
  const Paths paths = paths_in(dir.root);
  ::umask(077);
  Steps steps;
  const auto first = ensure_files(paths, steps.progress());
  ::umask(022);
  REQUIRE_MESSAGE(first.ok(), first.error().message());
  CHECK(mode_of(paths.config) == 0644);
  CHECK(mode_of(fs::path(paths.config).parent_path()) == 0755);
  CHECK(mode_of(paths.tokens) == 0600);
  CHECK(mode_of(paths.state_dir) == 0700);
  CHECK(mode_of(paths.run_dir) == 0755);
  CHECK(steps.lines.size() == 5);
  REQUIRE(add_token(paths.tokens, "mine").ok());
  write(paths.config, "# my own\n", 0644);
  const std::string tokens = read(paths.tokens);
  REQUIRE(ensure_files(paths, steps.progress()).ok());
  CHECK(steps.lines.size() == 5);
  CHECK(read(paths.tokens) == tokens);
  CHECK(read(paths.config) == "# my own\n");
}

TEST_CASE("the configuration that setup writes is the default one, and every commented line in it is valid") {
  const std::string text = default_config();
  CHECK(policy::parse_site_config(text, "server.yaml").ok());
  std::string taken;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("#: ")) taken += line.substr(3) + "\n";
  const auto config = policy::parse_site_config(taken, "server.yaml");
  REQUIRE_MESSAGE(config.ok(), config.error().message());
  const policy::SiteConfig standard = policy::default_site_config();
  CHECK(config->address == standard.address);
  CHECK(config->port == standard.port);
  CHECK(config->slots == 8);
  CHECK(config->uid_base == standard.uid_base);
  CHECK(config->queue_length == standard.queue_length);
  CHECK(config->queue_per_token == standard.queue_per_token);
  CHECK(config->max_connections == standard.max_connections);
  CHECK(config->state_dir == Paths().state_dir);
  CHECK(standard.state_dir == Paths().state_dir);
  CHECK(config->run_dir == Paths().run_dir);
  CHECK(standard.run_dir == Paths().run_dir);
  CHECK(config->log_level == standard.log_level);
  CHECK(config->ceiling.read.opened.size() == 1);
}

TEST_CASE("setup narrows the mode of a state directory, and refuses a link in its place") {
  TempDir dir;
  const Paths paths = paths_in(dir.root);
  Steps steps;
  REQUIRE(::mkdir(paths.state_dir.c_str(), 0700) == 0);
  REQUIRE(::chmod(paths.state_dir.c_str(), 0777) == 0);
  REQUIRE(ensure_files(paths, steps.progress()).ok());
  CHECK(mode_of(paths.state_dir) == 0700);
  fs::remove(paths.state_dir);
  fs::create_directory(dir.root + "/elsewhere");
  fs::create_directory_symlink(dir.root + "/elsewhere", paths.state_dir);
  CHECK(!ensure_files(paths, steps.progress()).ok());
}

TEST_CASE("teardown removes what setup made and what the server left, and nothing through a link") {
  TempDir dir;
  const Paths paths = paths_in(dir.root);
  Steps steps;
  REQUIRE(ensure_files(paths, steps.progress()).ok());
  write(dir.root + "/elsewhere/precious", "precious");
  write(paths.state_dir + "/floor/bin/tool", "x");
  fs::create_directory_symlink(dir.root + "/elsewhere", paths.state_dir + "/link");
  write(paths.log, "x");
  write(paths.log + ".1", "x");
  write(fs::path(paths.config).parent_path().string() + "/notes", "the administrator's");
  REQUIRE(remove_files(paths, false, steps.progress()).ok());
  for (const std::string& path : {paths.state_dir, paths.run_dir, dir.root + "/log"}) CHECK(!fs::exists(path));
  CHECK(read(dir.root + "/elsewhere/precious") == "precious");
  CHECK(fs::exists(paths.config));
  CHECK(fs::exists(paths.tokens));
  const std::string left = kept(paths);  // depends on the users of the machine
  CHECK(left.find("kept: " + dir.root + "/etc (configuration, tokens)") == 0);
  CHECK(left.find("; --purge removes them") != std::string::npos);
  REQUIRE(remove_files(paths, true, steps.progress()).ok());
  CHECK(!fs::exists(paths.config));
  CHECK(!fs::exists(paths.tokens));
  CHECK(fs::exists(dir.root + "/etc/notes"));
  CHECK(kept(paths).find(dir.root) == std::string::npos);
  const std::size_t count = steps.lines.size();
  CHECK(remove_files(paths, true, steps.progress()).ok());
  CHECK(steps.lines.size() == count);
}

TEST_CASE("teardown does not empty a file system that is mounted below the state directory") {
  TempDir dir;
  const Paths paths = paths_in(dir.root);
  write(paths.state_dir + "/own", "x");
  write(dir.root + "/elsewhere/precious", "precious");
  fs::create_directory(paths.state_dir + "/work");
  const auto forgotten_mount = [&] {
    if (!own_mounts()) return 2;
    if (::mount((dir.root + "/elsewhere").c_str(), (paths.state_dir + "/work").c_str(), nullptr, MS_BIND, nullptr) != 0)
      return 3;
    Steps steps;
    const auto removed = remove_files(paths, false, steps.progress());
    return !removed.ok() && removed.error().message().find(paths.state_dir + "/work") != std::string::npos ? 0 : 1;
  };
  CHECK(in_child(forgotten_mount) == 0);
  CHECK(read(dir.root + "/elsewhere/precious") == "precious");
  CHECK(read(paths.state_dir + "/own") == "x");
  Steps steps;
  CHECK(remove_files(paths, false, steps.progress()).ok());  // the control: without the mount the directory is removed
  CHECK(!fs::exists(paths.state_dir));
}

TEST_CASE("without systemd no unit is written; its text starts this program with this configuration") {
  TempDir dir;
  Paths paths = paths_in(dir.root);
  Steps steps;
  REQUIRE(ensure_unit(paths, steps.progress()).ok());
  CHECK(!fs::exists(paths.unit));
  paths.program = "/opt/my \"band\"/100%/$x/band-server";
  const std::string text = unit_text(paths);
  CHECK(text.find("ExecStart=\"/opt/my \\\"band\\\"/100%%/$$x/band-server\" serve --config \"" + paths.config +
                  "\"\n") != std::string::npos);
}

TEST_CASE("words of other commands are not handled here, and wrong ones are usage errors") {
  TempDir dir;
  const Paths paths = paths_in(dir.root);
  CHECK(!run_command(paths, {}).has_value());
  CHECK(!run_command(paths, {"serve"}).has_value());
  CHECK(run_command(paths, {"stop", "now"}) == 2);
  CHECK(run_command(paths, {"setup", "--purge"}) == 2);
  CHECK(run_command(paths, {"start", "--quiet"}) == 2);
  CHECK(run_command(paths, {"teardown", "everything"}) == 2);
  if (::geteuid() == 0) {
    CHECK(run_command(paths, {"token"}) == 2);
    CHECK(run_command(paths, {"token", "add"}) == 2);
    CHECK(run_command(paths, {"token", "list", "--all"}) == 2);
  } else {
    CHECK(run_command(paths, {"token", "list"}) == 3);
    CHECK(run_command(paths, {"stop"}) == 3);
  }
}
