// Tokens, the service's lock, start and stop, and the files of setup and teardown, all in a directory of their own.
// The server that start() starts here is this very program, in the role at the end of the file.
#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "schemas/wire.h"
#include "server/admin/commands.h"
#include "server/admin/service.h"
#include "server/admin/setup.h"
#include "server/admin/teardown.h"
#include "server/admin/tokens.h"
#include "server/admin/unit.h"
#include "server/base/io.h"

namespace fs = std::filesystem;
using namespace band;
using namespace band::admin;

namespace {

Paths paths_in(const std::string& root) {
  Paths paths;
  paths.config = root + "/etc/server.yaml";
  paths.tokens = root + "/etc/tokens";
  paths.state_dir = root + "/state";
  paths.run_dir = root + "/run";
  paths.log = root + "/log/server.log";
  paths.unit = root + "/band-server.service";
  paths.systemd = root + "/no-systemd";
  paths.program = own_program();
  return paths;
}

struct TempDir {
  std::string root;
  TempDir() {
    char name[] = "/tmp/band-admin-test-XXXXXX";
    REQUIRE(::mkdtemp(name) != nullptr);
    root = name;
  }
  ~TempDir() {
    std::error_code ignored;
    fs::remove_all(root, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
};

void write(const std::string& path, const std::string& text, mode_t mode = 0600) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path) << text;
  ::chmod(path.c_str(), mode);
}

std::string read(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

mode_t mode_of(const std::string& path) {
  struct stat info {};
  REQUIRE(::lstat(path.c_str(), &info) == 0);
  return info.st_mode & 07777;
}

struct Steps {
  std::vector<std::string> lines;
  Progress progress() {
    return [this](std::string_view line) { lines.emplace_back(line); };
  }
};

// Runs `act` in a child; its return value is the exit status.
int in_child(const std::function<int()>& act) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(act());
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Mounts made by the caller afterwards are seen by nobody else. Without root by a user namespace.
bool own_mounts() {
  if (::geteuid() != 0) return ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
  return ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

const std::string kHash(64, 'a');

}  // namespace

// ---- tokens ---------------------------------------------------------------------------------------------------------

TEST_CASE("a token that was added is in the file by its hash, and the token itself is not") {
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

TEST_CASE("a name cannot be taken twice, and a refused name changes nothing") {
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

TEST_CASE("revoking takes exactly the named token away") {
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

TEST_CASE("a running server can see every change of the tokens by stat") {
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

TEST_CASE("a tokens file that others can use is refused") {
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

TEST_CASE("a tokens file that is none is refused, and never waited for") {
  TempDir dir;
  const std::string real = dir.root + "/real", link = dir.root + "/link", fifo = dir.root + "/fifo";
  REQUIRE(add_token(real, "one").ok());
  fs::create_symlink(real, link);
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  for (const std::string& path : {link, fifo, dir.root, dir.root + "/absent"}) CHECK(!load_tokens(path).ok());
  CHECK(!add_token(link, "two").ok());
  CHECK(load_tokens(real)->size() == 1);
}

TEST_CASE("a damaged tokens file is refused whole, with the line's number and without its content") {
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
      "two 00000002 " + kHash + " 2026-01-02T03:04:05Z",  // cut
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

TEST_CASE("tokens added at the same time are all there") {
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

// ---- the service's lock ---------------------------------------------------------------------------------------------

TEST_CASE("the process that has claimed the run directory is the holder, until it ends") {
  TempDir dir;
  const Paths paths = paths_in(dir.root);
  CHECK(holder(paths).value() == std::nullopt);
  int ready[2], go[2];
  REQUIRE(::pipe(ready) == 0);
  REQUIRE(::pipe(go) == 0);
  const pid_t server = ::fork();
  char byte = 0;
  if (server == 0) {
    ::close(go[1]);
    const auto claimed = claim(paths);
    // Descriptors that children inherit must not keep the lock.
    if (::fork() == 0) {
      ::usleep(300'000);
      ::_exit(0);
    }
    byte = claimed.ok() ? 'y' : 'n';
    if (::write(ready[1], &byte, 1) == 1 && ::read(go[0], &byte, 1) >= 0) ::_exit(0);
    ::_exit(1);
  }
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  REQUIRE(byte == 'y');
  CHECK(holder(paths).value() == std::optional<pid_t>(server));
  CHECK(read(paths.pid_file()) == std::to_string(server) + "\n");
  CHECK(mode_of(paths.pid_file()) == 0600);
  const auto second = claim(paths);
  REQUIRE(!second.ok());
  CHECK(second.error().message().find(std::to_string(server)) != std::string::npos);
  CHECK(read(paths.pid_file()) == std::to_string(server) + "\n");
  ::close(go[1]);
  REQUIRE(::waitpid(server, nullptr, 0) == server);
  CHECK(holder(paths).value() == std::nullopt);  // although its child lives on with the descriptor
  for (const int fd : {ready[0], ready[1], go[0]}) ::close(fd);
}

TEST_CASE("a pid file that nobody holds is never signalled") {
  TempDir dir;
  const Paths paths = paths_in(dir.root);
  const pid_t bystander = ::fork();
  if (bystander == 0) {
    ::pause();
    ::_exit(0);
  }
  write(paths.pid_file(), std::to_string(bystander) + "\n");
  Steps steps;
  CHECK(stop(paths, steps.progress()).ok());
  CHECK(steps.lines.empty());
  CHECK(::waitpid(bystander, nullptr, WNOHANG) == 0);  // still there
  ::kill(bystander, SIGKILL);
  CHECK(::waitpid(bystander, nullptr, 0) == bystander);
}

TEST_CASE("a claim removes the port of an earlier server") {
  TempDir dir;
  const Paths paths = paths_in(dir.root);
  REQUIRE(::mkdir(paths.run_dir.c_str(), 0755) == 0);
  REQUIRE(announce_port(paths, 7433).ok());
  CHECK(read(paths.port_file()) == "7433\n");
  CHECK(mode_of(paths.port_file()) == 0644);
  CHECK(in_child([&] { return claim(paths).ok() && !fs::exists(paths.port_file()) ? 0 : 1; }) == 0);
}

// ---- start and stop -------------------------------------------------------------------------------------------------

TEST_CASE("start brings the server up in a session of its own, a second start changes nothing, stop ends it") {
  TempDir dir;
  const Paths paths = paths_in(dir.root);
  write(paths.config, "serve");
  fs::create_directory(paths.run_dir);
  Steps steps;
  const auto port = start(paths, steps.progress());
  REQUIRE_MESSAGE(port.ok(), port.error().message() << "\n" << port.error().hint);
  const auto pid = holder(paths).value();
  REQUIRE(pid.has_value());
  CHECK(::getsid(*pid) != ::getsid(0));
  CHECK(::getsid(*pid) != *pid);  // no leader: it never gets a terminal
  CHECK(fs::read_symlink("/proc/" + std::to_string(*pid) + "/cwd") == "/");
  std::set<std::string> open;
  for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(*pid) + "/fd"))
    if (const auto name = entry.path().filename(); name <= "2") open.insert(fs::read_symlink(entry.path()));
  CHECK(open == std::set<std::string>{"/dev/null", paths.log});
  CHECK(steps.lines.size() == 1);
  const auto again = start(paths, steps.progress());
  REQUIRE(again.ok());
  CHECK(*again == *port);
  CHECK(holder(paths).value() == pid);
  CHECK(steps.lines.size() == 1);
  REQUIRE(stop(paths, steps.progress()).ok());
  CHECK(holder(paths).value() == std::nullopt);
  CHECK(!fs::exists(paths.port_file()));
  CHECK(read(paths.log).find("asked to stop") != std::string::npos);  // SIGTERM, not SIGKILL
}

TEST_CASE("a server that dies at its start is known at once, with the end of its log") {
  TempDir dir;
  const Paths paths = paths_in(dir.root);
  write(paths.config, "die");
  write(paths.log, "of an earlier run\n");
  fs::create_directory(paths.run_dir);
  Steps steps;
  const auto begin = base::monotonic_us();
  const auto port = start(paths, steps.progress());
  REQUIRE(!port.ok());
  CHECK(base::monotonic_us() - begin < 5'000'000);
  CHECK(port.error().code == Code::ServerUnreachable);
  CHECK(port.error().hint.find("no such luck") != std::string::npos);
  CHECK(port.error().hint.find("earlier run") == std::string::npos);
}

TEST_CASE("a program that is not there is an error of start") {
  TempDir dir;
  Paths paths = paths_in(dir.root);
  paths.program = dir.root + "/absent";
  fs::create_directory(paths.run_dir);
  Steps steps;
  const auto port = start(paths, steps.progress());
  REQUIRE(!port.ok());
  CHECK(port.error().message().find(paths.program) != std::string::npos);
}

TEST_CASE("a log over its size starts anew, keeps one generation, and loses no writer") {
  TempDir dir;
  const Paths paths = paths_in(dir.root);
  write(paths.log, "");
  const int saved = ::fcntl(2, F_DUPFD_CLOEXEC, 10);
  const int log = ::open(paths.log.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  const int other = ::dup(log);  // a child that shares it
  REQUIRE(::dup2(log, 2) == 2);
  const std::string small = "one line\n", large(static_cast<std::size_t>(kMaxLogBytes), 'x');
  bool fine = base::write_all(2, small).ok() && keep_log_small(paths).ok();
  const std::string kept = read(paths.log);
  fine = fine && base::write_all(2, large).ok() && keep_log_small(paths).ok() && base::write_all(other, small).ok();
  ::dup2(saved, 2);
  for (const int fd : {saved, log, other}) ::close(fd);
  CHECK(fine);
  CHECK(kept == small);
  CHECK(read(paths.log) == small);
  CHECK(fs::file_size(paths.log + ".1") == small.size() + large.size());
}

TEST_CASE("somebody else's redirection is not cut") {
  TempDir dir;
  const Paths paths = paths_in(dir.root);
  const std::string file = dir.root + "/mine";
  const int saved = ::fcntl(2, F_DUPFD_CLOEXEC, 10);
  const int mine = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  REQUIRE(::dup2(mine, 2) == 2);
  const bool fine = base::write_all(2, std::string(static_cast<std::size_t>(kMaxLogBytes) + 1, 'x')).ok() &&
                    keep_log_small(paths).ok();
  ::dup2(saved, 2);
  for (const int fd : {saved, mine}) ::close(fd);
  CHECK(fine);
  CHECK(fs::file_size(file) == static_cast<std::uintmax_t>(kMaxLogBytes) + 1);
}

// ---- files of setup and teardown ------------------------------------------------------------------------------------

TEST_CASE("setup makes its files with their modes, and a second time changes nothing") {
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

TEST_CASE("setup narrows a state directory that is too wide, and refuses a link in its place") {
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

TEST_CASE("teardown removes what setup made and what the server left, and nothing beyond a link") {
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
  REQUIRE(remove_files(paths, true, steps.progress()).ok());
  CHECK(!fs::exists(paths.config));
  CHECK(!fs::exists(paths.tokens));
  CHECK(fs::exists(dir.root + "/etc/notes"));
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
  CHECK(remove_files(paths, false, steps.progress()).ok());  // the control: without the mount it goes
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

TEST_CASE("words that are none of the administrator's are left to others, wrong ones are usage errors") {
  TempDir dir;
  const Paths paths = paths_in(dir.root);
  CHECK(!run_command(paths, {}).has_value());
  CHECK(!run_command(paths, {"serve"}).has_value());
  CHECK(run_command(paths, {"stop", "now"}) == 2);
  CHECK(run_command(paths, {"setup", "--purge"}) == 2);
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

// ---- the other role: the server that start() starts -----------------------------------------------------------------

namespace {

int serve(const std::string& config) {
  const Paths paths = paths_in(fs::path(config).parent_path().parent_path());
  const std::string role = read(config);
  if (role == "die") {
    std::fputs("no such luck\n", stderr);
    return 1;
  }
  sigset_t term;
  ::sigemptyset(&term);
  ::sigaddset(&term, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &term, nullptr);
  auto claimed = claim(paths);
  if (!claimed.ok()) return 1;
  const base::Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener.get(), 8) != 0 ||
      ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return 1;
  const pid_t parent = ::getpid();
  const pid_t answering = ::fork();
  if (answering == 0) {
    for (;;) {
      const base::Fd peer(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
      char request[512];
      if (::read(peer.get(), request, sizeof request) > 0)
        (void)base::write_all(peer.get(), "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n").ok();
      if (::getppid() != parent) ::_exit(0);
    }
  }
  if (!announce_port(paths, ntohs(address.sin_port)).ok()) return 1;
  int signal = 0;
  ::sigwait(&term, &signal);
  std::fputs("asked to stop\n", stderr);
  ::kill(answering, SIGKILL);
  ::waitpid(answering, nullptr, 0);
  withdraw_port(paths);
  return 0;
}

// Before main: doctest would take the arguments for its own. glibc passes them to constructors.
[[gnu::constructor]] void serve_instead_of_testing(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "serve" && std::string(argv[2]) == "--config") {
    const int status = serve(argv[3]);
    std::fflush(stderr);
    ::_exit(status);
  }
}

}  // namespace
