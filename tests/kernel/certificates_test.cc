// The certificates that programs in a sandbox trust: the machine's bundle and the operator's authority
// (server/floor/certificates.h).
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "schemas/programs/programs.h"
#include "server/floor/certificates.h"
#include "server/floor/trusted_path.h"
#include "server/layout/places.h"
#include "tests/kernel/command_room.h"
#include "tests/kernel/floor_place.h"
#include "tests/kernel/in_child.h"
#include "tests/kernel/machine_directory.h"
#include "tests/kernel/own_mounts.h"

using namespace band;
using test::CommandRoom;
using test::MachineDirectory;
using test::Ran;

namespace {

namespace fs = std::filesystem;

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The operator's authority, and a certificate that it has signed for localhost.
class Authority {
 public:
  Authority() {
    const std::string go =
        "cd " + at.path() +
        " && exec > log 2>&1 && openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test-authority"
        " -addext keyUsage=critical,keyCertSign"
        " -keyout ca.key -out ca.pem && openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout s.key -out "
        "s.csr"
        " && printf subjectAltName=DNS:localhost > san"
        " && openssl x509 -req -days 2 -in s.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile san -out s.pem"
        " && cat ca.key ca.pem > careless.pem && chmod 0644 *.pem";
    REQUIRE_MESSAGE(std::system(go.c_str()) == 0, content(at / "log"));
  }

  MachineDirectory at;
};

// `openssl s_server`, which answers every GET with a page.
class Server {
 public:
  explicit Server(const Authority& authority) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(ends[1], 1);
      ::close(ends[0]);
      const std::string cert = authority.at / "s.pem", key = authority.at / "s.key";
      ::execl("/usr/bin/openssl", "openssl", "s_server", "-accept", "127.0.0.1:0", "-www", "-cert", cert.c_str(),
              "-key", key.c_str(), nullptr);
      ::_exit(98);
    }
    ::close(ends[1]);
    FILE* out = ::fdopen(ends[0], "r");
    char line[256];
    while (port.empty() && std::fgets(line, sizeof line, out) != nullptr) {
      const std::string text = line;
      if (text.starts_with("ACCEPT 127.0.0.1:")) port = text.substr(17, text.find_first_of("\r\n") - 17);
    }
    out_ = out;
    REQUIRE_FALSE(port.empty());
  }
  ~Server() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    std::fclose(out_);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::string port;

 private:
  pid_t pid_ = -1;
  FILE* out_ = nullptr;
};

class State : public test::FloorPlace {
 public:
  using FloorPlace::FloorPlace;

  std::shared_ptr<const floor::Floor> built() const {
    auto floor = floor::build(config);
    REQUIRE_MESSAGE(floor.ok(), floor.error().message());
    return *floor;
  }
  std::string bundle() const { return content(built()->path + layout::kCertificates); }
};

}  // namespace

TEST_CASE(
    "programs trust the authority in gateway.extra_ca without further options, and do not trust it when it is not "
    "configured") {
  const Authority authority;
  const Server server(authority);
  const std::string url = "https://localhost:" + server.port + "/";
  struct Row {
    std::string command;
    std::vector<std::string> arguments;
    std::string trusted;  // in the output
  };
  const Row rows[] = {
      {"curl", {"-sS", "-m10", url}, "Ciphers supported"},
      {"wget", {"-t1", "-T10", "-qO-", url}, "Ciphers supported"},
      {"python3",
       {"-c", "import urllib.request as r; print(r.urlopen('" + url + "').read().decode())"},
       "Ciphers supported"},
      {"node", {"-e", "require('https').get('" + url + "', r => r.pipe(process.stdout))"}, "Ciphers supported"},
      {"git", {"ls-remote", url}, "not valid: is this a git repository"},  // beyond TLS
  };
  std::vector<std::string> names;
  for (const Row& row : rows) names.push_back(row.command);
  for (const bool with : {true, false}) {
    const State state(with ? authority.at / "ca.pem" : "");
    std::vector<std::shared_ptr<const floor::Program>> programs;
    for (const std::string& name : names) {
      auto program = floor::find_program(name, built_in_programs());
      REQUIRE_MESSAGE(program.ok(), program.error().message());
      programs.push_back(std::make_shared<const floor::Program>(std::move(*program)));
    }
    floor::CommandFloors floors(state.path() + "/commands");
    const auto set = floors.get(*state.built(), programs, {});
    REQUIRE_MESSAGE(set.ok(), set.error().message());
    const CommandRoom room(**set);
    test::RoomOptions options;
    options.tcp = landlock::Tcp::Connect;
    options.more_env = {std::string("SSL_CERT_FILE=") + layout::kCertificates};
    if (with) options.more_env.push_back(std::string("NODE_EXTRA_CA_CERTS=") + layout::kExtraCertificates);
    for (const Row& row : rows) {
      CAPTURE(row.command);
      CAPTURE(with);
      const Ran ran = room.run(row.command, row.arguments, options);
      CHECK_MESSAGE((ran.output.find(row.trusted) != std::string::npos) == with, ran.output);
    }
  }
}

TEST_CASE("only the certificates of the file in gateway.extra_ca are copied into a sandbox") {
  const Authority authority;
  const State state(authority.at / "careless.pem");
  const std::string bundle = state.bundle(), machine = content(floor::kMachineBundle);
  REQUIRE(machine.size() > 100'000);
  CHECK(bundle.starts_with(machine));
  CHECK(bundle.find("PRIVATE KEY") == std::string::npos);
  CHECK(content(authority.at / "careless.pem").find("PRIVATE KEY") != std::string::npos);  // the control
  CHECK(content(state.built()->path + layout::kExtraCertificates) == bundle.substr(machine.size()));
}

TEST_CASE(
    "the floor is rebuilt when the file in gateway.extra_ca changes, and when the key is removed from server.yaml") {
  const Authority first, second;
  const std::string file = first.at / "ca.pem";
  State state(file);
  const auto old = state.built();
  CHECK(floor::is_current(*old));
  CHECK(state.built()->key == old->key);
  fs::copy_file(second.at / "ca.pem", file, fs::copy_options::overwrite_existing);
  CHECK_FALSE(floor::is_current(*old));
  CHECK(state.built()->key != old->key);
  CHECK(state.bundle().ends_with(content(file)));
  state.config.extra_ca = "";
  CHECK(state.bundle() == content(floor::kMachineBundle));
  CHECK_FALSE(fs::exists(state.built()->path + layout::kExtraCertificates));
}

TEST_CASE(
    "a certificate file in gateway.extra_ca that is missing, has no certificate, or can be written by others than root "
    "is an error") {
  const Authority authority;
  const auto refused = [](const std::string& file) {
    const auto read = floor::read_certificates(file);
    REQUIRE_FALSE(read.ok());
    return read.error().message();
  };
  CHECK(refused(authority.at / "missing.pem").find("missing.pem") != std::string::npos);
  CHECK(refused(authority.at.make("empty.pem", "", 0644)).find("find a certificate in gateway.extra_ca") !=
        std::string::npos);
  CHECK(refused(authority.at.make("key.pem", content(authority.at / "ca.key"), 0644)).find("find a certificate") !=
        std::string::npos);
  const std::string open = authority.at.make("open.pem", content(authority.at / "ca.pem"), 0666);
  CHECK(refused(open).find("open.pem") != std::string::npos);
  CHECK(floor::read_certificates(authority.at / "ca.pem").ok());  // the control
}

TEST_CASE("an error about the file in gateway.extra_ca names this key, and the hint never advises to change /tmp") {
  char shared[] = "/tmp/band-extra-ca-XXXXXX";  // owned by root, below a directory that every user may write
  REQUIRE(::mkdtemp(shared) != nullptr);
  const std::string below_tmp = std::string(shared) + "/ca.pem";
  std::ofstream(below_tmp) << "x";
  const MachineDirectory own;
  const std::string open = own.make("open.pem", "x", 0666);
  for (const std::string& file : {below_tmp, open, std::string("/nonexistent")}) {
    CAPTURE(file);
    const auto read = floor::read_certificates(file);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().message().find("floor: cannot use gateway.extra_ca " + file + ": ") == 0);
    CHECK(read.error().hint.find("where only root can write") != std::string::npos);
    CHECK(read.error().hint.find("chmod") == std::string::npos);
  }
  // The same checks apply to a program.
  const auto tmp = floor::follow_trusted(below_tmp), alone = floor::follow_trusted(open);
  fs::remove_all(shared);
  REQUIRE((!tmp.ok() && !alone.ok()));
  CHECK(tmp.error().hint == "use a directory where only root can write: /tmp is shared by all users");
  CHECK(alone.error().hint == "chmod go-w " + open);  // the control
}

TEST_CASE("on a machine without a bundle of certificates, floors have no bundle, until one is installed") {
  const State state;
  const std::string what = test::in_child([&]() -> std::string {
    if (!test::own_mounts() || ::mount("tmpfs", "/etc/ssl/certs", "tmpfs", 0, nullptr) != 0) return "no mounts";
    const auto without = floor::build(state.config);
    if (!without.ok()) return without.error().message();
    if (fs::exists((*without)->path + layout::kCertificates)) return "there is one";
    if (!floor::is_current(**without)) return "not current";
    if (::umount("/etc/ssl/certs") != 0) return "no umount";
    if (floor::is_current(**without)) return "the new bundle was not detected";
    const auto with = floor::build(state.config);
    return with.ok() && fs::exists((*with)->path + layout::kCertificates) ? "followed" : "not followed";
  });
  CHECK(what == "followed");
}
