// `band-server check` refuses what `serve` would refuse, with the same messages, and starts nothing.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

// Programs, configuration and tokens of a server that could be started.
struct Place {
  explicit Place(const std::string& yaml = "") {
    for (const std::string name : {"band-server", "band-http", "band-gateway", "band-init", "band-shim"})
      std::filesystem::copy_file(BAND_BIN_DIR "/" + name, path(name));
    write_file(path("server.yaml"), "run: " + path("run") + "\nstate: " + path("state") +
                                        "\nslots: {count: 1, uid_base: 1899999000}\n" +
                                        (yaml.empty() ? "listen: 127.0.0.1:0\n" : yaml));
    write_file(path("tokens"), "", 0600);
  }
  std::string path(const std::string& name) const { return directory.path + "/" + name; }

  // `shell`: words before the command, which ends the line.
  Ran run(const std::string& verb, const std::string& shell) const {
    const std::string line = shell + " " + path("band-server") + " " + verb + " --config " + path("server.yaml");
    return Running({"/usr/bin/unshare", "--mount", "/bin/sh", "-c", line}, {{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"}},
                   "/")
        .wait(20'000);
  }

  // Checks that `serve` and `check` refuse with the same message.
  void both_refuse(const std::string& words, const std::string& shell = "exec") const {
    CAPTURE(words);
    const Ran checked = run("check", shell), served = run("serve", shell);
    CHECK_STATUS(checked, 8);
    CHECK_HAS(checked.out, "server.yaml is valid");
    CHECK_HAS(checked.err, words);
    CHECK(served.status > 0);
    CHECK(served.status < 128);
    CHECK_HAS(served.err, words);
  }

  TempDir directory;
};

}  // namespace

TEST_CASE("check has no finding on a machine and a configuration that serve accepts, and starts and creates nothing") {
  const Place place;
  const Ran ran = place.run("check", "exec");
  CHECK_STATUS(ran, 0);
  CHECK(ran.err.empty());
  CHECK_HAS(ran.out, "not checked: a run through all layers");
  CHECK_HAS_NOT(ran.out, "needs root");
  for (const char* name : {"run", "state"}) CHECK(!exists(place.path(name)));
}

TEST_CASE("check reports the files, programs and users that serve refuses") {
  Place tokens, program, file, ca;
  write_file(tokens.path("tokens"), "", 0644);
  tokens.both_refuse("is accessible to group or others");
  std::filesystem::remove(tokens.path("tokens"));
  tokens.both_refuse("tokens: cannot open " + tokens.path("tokens") + ": No such file or directory");

  std::filesystem::remove(program.path("band-http"));
  program.both_refuse(program.path("band-http") + ": No such file or directory");
  Place init;
  std::filesystem::remove(init.path("band-init"));
  init.both_refuse(init.path("band-init"));

  write_file(file.path("run"), "");
  const Ran in_the_way = file.run("check", "exec");
  CHECK_STATUS(in_the_way, 8);
  CHECK_HAS(in_the_way.err, file.path("run") + " is not a directory");
  CHECK(file.run("serve", "exec").status != 0);

  const Place missing("listen: 127.0.0.1:0\ngateway: {extra_ca: /nonexistent/ca.pem}\n");
  missing.both_refuse("/nonexistent/ca.pem");

  const Place user;
  user.both_refuse("band-gateway", "grep -v ^band-gateway: /etc/passwd > " + user.path("passwd") + " && mount --bind " +
                                       user.path("passwd") + " /etc/passwd && exec");
}

TEST_CASE("a configuration that other users may change is refused by check, by serve, and by every other command") {
  namespace fs = std::filesystem;
  constexpr uid_t kOther = 65534;
  const auto refused = [](const Place& place, const std::string& path, const std::string& words,
                          const std::string& mend) {
    CAPTURE(path);
    for (const std::string verb : {"check", "serve", "start", "stop"}) {
      CAPTURE(verb);
      const Ran ran = place.run(verb, "exec");
      CHECK_STATUS(ran, 3);
      CHECK_HAS(ran.err, "config: " + path + words);
      CHECK_HAS(ran.err, "hint: " + mend + " " + path);
      CHECK(ran.out.empty());
    }
  };
  for (const unsigned mode : {0664u, 0646u}) {
    const Place place;
    REQUIRE(::chmod(place.path("server.yaml").c_str(), mode) == 0);
    refused(place, place.path("server.yaml"), " may be changed by other users", "chmod go-w");
    REQUIRE(::chmod(place.path("server.yaml").c_str(), 0644) == 0);
    CHECK_STATUS(place.run("check", "exec"), 0);  // the control
  }
  const Place file, directory, shared, link;
  REQUIRE(::chown(file.path("server.yaml").c_str(), kOther, 0) == 0);
  refused(file, file.path("server.yaml"), " belongs to user 65534", "chown -h 0");
  REQUIRE(::chown(directory.directory.path.c_str(), kOther, 0) == 0);
  refused(directory, directory.directory.path, " belongs to user 65534", "chown -h 0");
  REQUIRE(::chmod(shared.directory.path.c_str(), 0777) == 0);
  refused(shared, shared.directory.path, " may be changed by other users", "chmod go-w");
  REQUIRE(::chmod(shared.directory.path.c_str(), 01777) == 0);  // as /tmp: no other user can replace root's file
  CHECK_STATUS(shared.run("check", "exec"), 0);
  // A link of root to a file in a directory of another user.
  const TempDir theirs;
  fs::rename(link.path("server.yaml"), theirs.path + "/server.yaml");
  fs::create_symlink(theirs.path + "/server.yaml", link.path("server.yaml"));
  CHECK_STATUS(link.run("check", "exec"), 0);  // the control: the directory is still root's
  REQUIRE(::chown(theirs.path.c_str(), kOther, 0) == 0);
  refused(link, theirs.path, " belongs to user 65534", "chown -h 0");
}

TEST_CASE(
    "check reports the properties of the machine that serve refuses: an essential command, a capability, the port") {
  const Place place;
  place.both_refuse("find the essential command jq: No such file or directory",
                    "mount --bind /dev/null /usr/bin/jq && exec");
  place.both_refuse("Operation not permitted", "exec setpriv --bounding-set=-net_admin");

  const int taken = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  REQUIRE(::bind(taken, reinterpret_cast<sockaddr*>(&address), size) == 0);
  REQUIRE(::listen(taken, 1) == 0);
  REQUIRE(::getsockname(taken, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  const std::string port = std::to_string(ntohs(address.sin_port));
  const Place busy("listen: 127.0.0.1:" + port + "\n");
  busy.both_refuse("cannot listen on 127.0.0.1 port " + port + ": Address already in use");
  ::close(taken);
  CHECK_STATUS(busy.run("check", "exec"), 0);  // the control
}

TEST_CASE("check reports the limits that serve refuses: more slots than the open files allow") {
  const Place place;
  place.both_refuse("1 slots and a queue of 64 need 485 open files, and the limit is 484", "ulimit -n 484; exec");
  CHECK_HAS(place.run("check", "ulimit -n 484; exec").err, "LimitNOFILE=");
  CHECK_STATUS(place.run("check", "ulimit -n 485; exec"), 0);
}

TEST_CASE("check reports all findings together, and passes while the server of that configuration runs") {
  const Place place;
  std::filesystem::remove(place.path("tokens"));
  const Ran ran = place.run("check", "mount --bind /dev/null /usr/bin/jq && exec");
  CHECK_STATUS(ran, 8);
  CHECK_HAS(ran.err, "essential command jq");
  CHECK_HAS(ran.err, "hint: apt-get install jq");
  CHECK_HAS(ran.err, "tokens: cannot open");
  const Ran running = shared_server().admin({"check"});
  CHECK_STATUS(running, 0);
}
