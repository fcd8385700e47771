// Targets on another machine: the real ssh and sshd, over loopback.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;
namespace fs = std::filesystem;

namespace {

std::uint16_t free_port() {
  const Ran ran = Running({"/usr/bin/python3", "-c",
                           "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])"},
                          {}, "/")
                      .wait();
  return static_cast<std::uint16_t>(std::stoi(ran.out));
}

// The directory /run/sshd, which sshd requires on Debian; systemd creates it for the service.
class PrivilegeSeparation {
 public:
  PrivilegeSeparation() : made_(::mkdir("/run/sshd", 0755) == 0) {}
  ~PrivilegeSeparation() {
    if (made_) ::rmdir("/run/sshd");
  }
  PrivilegeSeparation(const PrivilegeSeparation&) = delete;
  PrivilegeSeparation& operator=(const PrivilegeSeparation&) = delete;

 private:
  bool made_;
};

// The other machine: sshd, and band-server as its administrator would call it. Also a caller on this machine whose
// `ssh` records its calls and uses the test's configuration.
class OtherMachine {
 public:
  explicit OtherMachine(const Server& server) {
    for (const char* key : {"host_key", "user_key"})
      REQUIRE(Running({"/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", in(key)}, {}, "/").wait().status ==
              0);
    fs::copy_file(in("user_key.pub"), in("authorized_keys"));
    write_file(in("there/band-server"),
               "#!/bin/sh\nexec " BAND_BIN_DIR "/band-server --config " + server.config() + " \"$@\"\n", 0755);
    write_file(in("sshd_config"),
               "ListenAddress 127.0.0.1\nPort " + std::to_string(port_) + "\nHostKey " + in("host_key") +
                   "\nPidFile none\nUsePAM no\nStrictModes no\nPermitRootLogin yes\nAuthorizedKeysFile " +
                   in("authorized_keys") + "\nSetEnv PATH=" + in("there") + ":/usr/bin:/bin\n");
    write_file(in("ssh_config"), "Host *\n  UserKnownHostsFile " + in("known_hosts") +
                                     "\n  StrictHostKeyChecking accept-new\n  IdentitiesOnly yes\n  IdentityFile " +
                                     in("user_key") + "\n");
    write_file(in("here/ssh"),
               "#!/bin/sh\necho \"$@\" >> " + in("calls") + "\nexec /usr/bin/ssh -F " + in("ssh_config") + " \"$@\"\n",
               0755);
    up();
    caller.env["PATH"] = in("here") + ":/usr/bin:/bin";
    caller.script("tool/go", "echo '{\"here\": true}' > \"$OUTPUT_PATH\"\n");
  }
  ~OtherMachine() {
    (void)caller.band({"target", "remove", "far"});
    down();
  }

  void up() {
    sshd_ = Running({"/usr/sbin/sshd", "-D", "-e", "-f", in("sshd_config")}, {{"PATH", "/usr/bin:/bin"}}, "/");
    const bool listens = within(10'000, [&] { return contains(sshd_.err(), "listening on 127.0.0.1"); });
    REQUIRE_MESSAGE(listens, sshd_.err());
  }
  void down() {
    sshd_.signal(SIGTERM);
    (void)sshd_.wait();
  }

  void configure(const std::string& lines) const { write_file(ssh_config(), read_file(ssh_config()) + lines); }
  std::string ssh_config() const { return in("ssh_config"); }
  std::uint16_t port() const { return port_; }
  std::string url() const { return "ssh://root@127.0.0.1:" + std::to_string(port_); }
  Ran add() const { return caller.band({"target", "add", "far", url()}); }
  Ran run() const { return caller.band({"run", "tool/go"}); }
  std::string socket() const { return caller.home(".band/ssh/far.server"); }

  // Returns the background ssh that has the socket.
  pid_t tunnel() const {
    const Ran ran =
        Running({"/usr/bin/ssh", "-S", caller.home(".band/ssh/far.control"), "-O", "check", "--", "x"}, {}, "/").wait();
    const std::size_t at = ran.err.find("pid=");
    return at == std::string::npos ? -1 : static_cast<pid_t>(std::stol(ran.err.substr(at + 4)));
  }
  std::size_t tunnels_opened() const {
    const std::string calls = read_file(in("calls"));
    std::size_t count = 0;
    for (std::size_t at = calls.find(" -N "); at != std::string::npos; at = calls.find(" -N ", at + 1)) ++count;
    return count;
  }

  Caller caller;

 private:
  std::string in(const std::string& file) const { return directory_.path + "/" + file; }

  const PrivilegeSeparation separation_;
  const TempDir directory_;
  const std::uint16_t port_ = free_port();
  Running sshd_;
};

}  // namespace

TEST_CASE("a server on another machine becomes a target, and scripts run there") {
  const OtherMachine other(shared_server());
  CHECK_STATUS(other.run(), 8);  // the control: there is no tunnel yet
  const Ran added = other.add();
  REQUIRE_STATUS(added, 0);
  CHECK_HAS(added.err, "target far is ready");
  const Ran ran = other.run();
  CHECK_STATUS(ran, 0);
  CHECK(ran.out == "{\"here\":true}\n");
  CHECK(other.tunnels_opened() == 1);

  const Ran status = other.caller.band({"status"});
  CHECK_HAS(status.out, "target   far, ssh to root@127.0.0.1:");
  CHECK_HAS(status.out, "(it is set up)");
  CHECK_HAS(other.caller.band({"target", "list"}).out, "* far ");
  CHECK_HAS(shared_server().admin({"token", "list"}).out, ".far");  // the token's name contains the target

  // No other user of this machine can reach the socket: neither through its directory nor by its mode.
  struct stat info = {};
  REQUIRE(::stat(other.caller.home(".band/ssh").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0700);
  REQUIRE(::stat(other.socket().c_str(), &info) == 0);
  CHECK(S_ISSOCK(info.st_mode));
  CHECK((info.st_mode & 0777) == 0600);
  REQUIRE(::stat((other.caller.directory.path + "/config/targets/far.json").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);

  const pid_t tunnel = other.tunnel();
  REQUIRE(tunnel > 0);
  const Ran removed = other.caller.band({"target", "remove", "far"});
  CHECK_STATUS(removed, 0);
  CHECK(within(5000, [&] { return ::kill(tunnel, 0) != 0; }));
  CHECK_FALSE(exists(other.socket()));
  CHECK_HAS_NOT(shared_server().admin({"token", "list"}).out, ".far");
  CHECK_STATUS(other.run(), 8);
}

TEST_CASE("a command that opens a tunnel exits, and its streams are closed") {
  const OtherMachine other(shared_server());
  const std::string band = BAND_BIN_DIR "/band";
  // The shell exits when `cat` has read EOF of both streams: the background ssh must not keep them open.
  const Ran piped =
      Running({"/bin/sh", "-c",
               "{ " + band + " target add far " + other.url() + "; " + band + " run tool/go; } 2>&1 | cat"},
              other.caller.env, other.caller.work(""))
          .wait(20'000);
  CHECK_STATUS(piped, 0);
  CHECK_HAS(piped.out, "{\"here\":true}");
  CHECK(other.tunnel() > 0);
}

TEST_CASE("a closed tunnel is opened again, once for ten concurrent runs") {
  OtherMachine other(shared_server());
  REQUIRE_STATUS(other.add(), 0);
  const auto end_tunnel = [&] {
    const pid_t tunnel = other.tunnel();
    REQUIRE(tunnel > 0);
    ::kill(tunnel, SIGKILL);  // leaves its sockets
    REQUIRE(within(5000, [&] { return ::kill(tunnel, 0) != 0; }));
    REQUIRE(exists(other.socket()));
  };
  end_tunnel();
  const Ran again = other.run();
  CHECK_STATUS(again, 0);
  CHECK_HAS(again.err, "note: opening the tunnel of target far");
  CHECK(other.tunnels_opened() == 2);
  CHECK_HAS_NOT(other.run().err, "tunnel");

  end_tunnel();
  std::vector<Running> ten;
  for (int i = 0; i < 10; ++i) ten.push_back(other.caller.start({"run", "tool/go"}));
  for (Running& one : ten) {
    const Ran ran = one.wait(60'000);
    CHECK_STATUS(ran, 0);
  }
  CHECK(other.tunnels_opened() == 3);
  const Ran doctor = other.caller.band({"doctor", "--target", "far"});
  CHECK_STATUS(doctor, 0);
  CHECK_HAS(doctor.out, "ok     tunnel");
}

TEST_CASE("a server that does not respond does not close the tunnel, which other commands' executions use") {
  OtherMachine other(shared_server());
  REQUIRE_STATUS(other.add(), 0);
  other.caller.script("tool/long", kHold + "echo '{\"here\": true}' > \"$OUTPUT_PATH\"\n");
  Running running = other.caller.start({"run", "tool/long"});
  REQUIRE(shared_server().held());
  const pid_t tunnel = other.tunnel();
  ::kill(shared_server().http_pid(), SIGSTOP);
  const Ran silent = other.run();
  ::kill(shared_server().http_pid(), SIGCONT);
  CHECK_STATUS(silent, 8);
  CHECK_HAS(silent.err, "does not answer");
  CHECK(other.tunnel() == tunnel);
  CHECK(other.tunnels_opened() == 1);
  shared_server().let_go();
  CHECK_STATUS(running.wait(), 0);
}

TEST_CASE("what the user's configuration forwards is not forwarded") {
  const OtherMachine other(shared_server());
  const std::uint16_t here = free_port(), there = free_port();
  other.configure("  LocalForward 127.0.0.1:" + std::to_string(here) +
                  " 127.0.0.1:9\n  RemoteForward 127.0.0.1:" + std::to_string(there) + " 127.0.0.1:9\n");
  const auto listens = [](std::uint16_t port) {
    return Running({"/usr/bin/python3", "-c",
                    "import socket; socket.create_connection(('127.0.0.1', " + std::to_string(port) + "))"},
                   {}, "/")
               .wait()
               .status == 0;
  };
  REQUIRE_STATUS(other.add(), 0);
  CHECK_STATUS(other.run(), 0);
  CHECK_FALSE(listens(here));
  CHECK_FALSE(listens(there));
  // The control: with the same configuration, ssh without band's flags forwards both.
  Running control(
      {"/usr/bin/ssh", "-F", other.ssh_config(), "-N", "-p", std::to_string(other.port()), "root@127.0.0.1"}, {}, "/");
  CHECK(within(10'000, [&] { return listens(here) && listens(there); }));
  control.signal(SIGTERM);
  (void)control.wait();
}

TEST_CASE("ssh runs the commands of the user's configuration with which it reaches the other machine, and no others") {
  OtherMachine other(shared_server());
  const auto ran = [&](const std::string& name) { return exists(other.caller.home(name)); };
  const auto touch = [&](const std::string& name) { return "touch " + other.caller.home(name); };
  other.configure("  ProxyCommand /bin/bash -c '" + touch("proxy") +
                  "; exec 3<>/dev/tcp/%h/%p; cat <&3 & exec cat >&3'\n  KnownHostsCommand /usr/bin/" + touch("known") +
                  "\n  PermitLocalCommand yes\n  LocalCommand " + touch("local") + "\n  RemoteCommand " +
                  touch("remote") + "\nMatch exec \"" + touch("match") + "\"\n  Compression no\n");
  // The control: without the options of band, ssh runs all of them.
  CHECK_STATUS(
      Running({"/usr/bin/ssh", "-F", other.ssh_config(), "-p", std::to_string(other.port()), "root@127.0.0.1"}, {}, "/")
          .wait(30'000),
      0);
  for (const char* name : {"proxy", "known", "local", "remote", "match"}) {
    CAPTURE(name);
    CHECK(ran(name));
    fs::remove(other.caller.home(name));
  }
  REQUIRE_STATUS(other.add(), 0);
  REQUIRE_STATUS(other.run(), 0);
  for (const char* name : {"proxy", "known", "match"}) CHECK_MESSAGE(ran(name), name);
  for (const char* name : {"local", "remote"}) CHECK_MESSAGE(!ran(name), name);
}

TEST_CASE("a target of one machine is not replaced by another without an error") {
  const OtherMachine other(shared_server());
  REQUIRE_STATUS(other.add(), 0);
  const Ran again = other.caller.band({"target", "add", "far", "ssh://root@localhost"});
  CHECK_STATUS(again, 2);
  CHECK_HAS(again.err, "band target remove far");
  CHECK_STATUS(other.run(), 0);
  CHECK_STATUS(other.add(), 0);  // the same machine: a new token replaces the old one
  const std::string tokens = shared_server().admin({"token", "list"}).out;
  CHECK(tokens.find(".far.") == tokens.rfind(".far."));
  CHECK_STATUS(other.run(), 0);
}

TEST_CASE("a machine that cannot be reached is reported, with the message of ssh") {
  OtherMachine other(shared_server());
  REQUIRE_STATUS(other.add(), 0);
  ::kill(other.tunnel(), SIGKILL);
  other.down();
  const Ran ran = other.run();
  CHECK_STATUS(ran, 8);
  CHECK_HAS(ran.err, "ssh to root@127.0.0.1:");
  CHECK_HAS(ran.err, "Connection refused");
  CHECK_HAS(ran.err, "ssh-add");
  const Ran doctor = other.caller.band({"doctor", "--target", "far", "--json"});
  CHECK_STATUS(doctor, 8);
  CHECK_HAS(doctor.out, R"({"part":"tunnel","ok":false,"detail":"ssh to root@127.0.0.1:)");
  const Ran removed = other.caller.band(
      {"target", "remove", "far"});  // succeeds, and reports the token that is left on the other machine
  CHECK_STATUS(removed, 0);
  CHECK_HAS(removed.err, "was not revoked on the target");
  CHECK_FALSE(exists(other.caller.directory.path + "/config/targets/far.json"));
  other.up();
}

TEST_CASE("a token of the other machine's operator makes a target without root on that machine") {
  const OtherMachine other(shared_server());
  const std::string line = shared_server().admin({"token", "add", "handed"}).out;
  const Ran added = other.caller.band({"target", "add", "far", other.url(), "--token-stdin"}, line);
  CHECK_STATUS(added, 0);
  CHECK_STATUS(other.run(), 0);
  const Ran none = other.caller.band({"target", "add", "far", other.url(), "--token-stdin"}, "nonsense");
  CHECK_STATUS(none, 2);
  CHECK_HAS(none.err, "contains no token");
  CHECK_HAS_NOT(none.text(), "nonsense");
  (void)shared_server().admin({"token", "revoke", "handed"});
}

TEST_CASE("`target use` has precedence over targets that are set up, and is removed with its target") {
  const OtherMachine other(shared_server());
  REQUIRE_STATUS(other.add(), 0);
  other.caller.target(shared_server().url(), shared_server().token("laptop"));  // also sets up local
  CHECK_HAS(other.caller.band({"status"}).out, "target   local, ");
  CHECK_STATUS(other.caller.band({"target", "use", "far"}), 0);
  CHECK_HAS(other.caller.band({"status"}).out, "target   far, ");
  CHECK_HAS(other.caller.band({"status"}).out, "(`band target use`)");
  CHECK_HAS(other.caller.band({"status", "--target", "local"}).out, "target   local, ");
  const Ran mistyped = other.caller.band({"target", "use", "fra"});
  CHECK_STATUS(mistyped, 8);
  CHECK_HAS(mistyped.err, "far");
  CHECK_STATUS(other.caller.band({"target", "remove", "far"}), 0);
  CHECK_HAS(other.caller.band({"status"}).out, "target   local, ");
  CHECK_STATUS(other.caller.band({"target", "remove", "local"}), 2);  // `teardown` removes local
}
