// Several servers on one machine: they share only what the operator gave both, and none harms another.
#include <filesystem>
#include <regex>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

const Environment kEnvironment = {{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"}};

// The configuration of a second server, with a tokens file in the same directory. Each text in `same` names a setting
// that the second server has in common with the first one: "run", "state" or "uid_base".
class Second {
 public:
  Second(const Server& first, const Words& same) {
    std::string text = read_file(first.config());
    const auto replace = [&](const std::string& key, const std::string& value) {
      if (std::find(same.begin(), same.end(), key) != same.end()) return;
      text = std::regex_replace(text, std::regex(key + ": [^,}\n]+"), key + ": " + value);
    };
    replace("run", directory_.path + "/run");
    replace("state", directory_.path + "/state");
    replace("uid_base", "1899999100");
    write_file(config(), text);
    write_file(directory_.path + "/tokens", "", 0600);
  }
  std::string config() const { return directory_.path + "/server.yaml"; }
  Words serve() const { return {BAND_BIN_DIR "/band-server", "serve", "--config", config()}; }
  Ran run(const std::string& verb) const {
    return Running({BAND_BIN_DIR "/band-server", verb, "--config", config()}, kEnvironment, "/").wait();
  }
  // Starts it in namespaces of its own, with an empty directory at the path of the first server's run directory.
  // `unshare`: arguments of unshare(1).
  Running start_apart(const Server& first, const Words& unshare) const {
    const std::string server = BAND_BIN_DIR "/band-server";
    Words words = {"/usr/bin/unshare", "--mount", "--kill-child"};
    words.insert(words.end(), unshare.begin(), unshare.end());
    words.insert(words.end(), {"/usr/bin/bash", "-c",
                               "mount -t tmpfs tmpfs " + first.run_dir() + " && mount -t proc proc /proc && " + server +
                                   " token add second --config " + config() + " > " + token_file() + " && exec " +
                                   server + " serve --config " + config()});
    return Running(words, kEnvironment, "/");
  }
  std::string token() const {
    std::smatch found;
    const std::string text = read_file(token_file());
    REQUIRE_MESSAGE(std::regex_search(text, found, std::regex("\"(band_[^\"]+)\"")), text);
    return found[1];
  }

 private:
  std::string token_file() const { return directory_.path + "/token.json"; }
  TempDir directory_;
};

// Returns the port that the server's log names; "" when the server has exited before it listened.
std::string port_in_log(Running& server) {
  std::smatch found;
  std::string log;
  (void)within(20'000, [&] {
    log = server.err();
    return std::regex_search(log, found, std::regex("listening on 127\\.0\\.0\\.1:([0-9]+)")) || server.ended();
  });
  return found.empty() ? "" : found[1].str();
}

}  // namespace

TEST_CASE("two servers whose run directories have the same path both serve, in the same pid namespace or not") {
  for (const Words& unshare : {Words{"--fork"}, Words{"--pid", "--fork"}}) {
    CAPTURE(unshare.back());
    Server first;
    const Caller caller(first);
    caller.script("tool/go", kHold + kEmptyOutput);
    Running held = caller.start({"run", "tool/go"});
    REQUIRE(first.held());

    const Second second(first, {"run"});
    Running running = second.start_apart(first, unshare);
    const std::string port = port_in_log(running);
    REQUIRE_MESSAGE(!port.empty(), running.err());
    Caller other;
    other.target("http://127.0.0.1:" + port, second.token());
    CHECK_STATUS(other.band({"run", "hello/greet", "--name", "World"}), 0);

    REQUIRE(!first.running().ended());
    CHECK_STATUS(caller.band({"run", "hello/greet", "--name", "World"}), 0);
    first.let_go();
    CHECK_STATUS(held.wait(), 0);
    first.stop();
    CHECK_STATUS(other.band({"run", "hello/greet", "--name", "World"}), 0);
  }
}

TEST_CASE("a server does not start with the state directory of a running one, which keeps its floors") {
  Server first;
  const Second second(first, {"state"});
  const std::string words = "a server with another run directory uses the state directory";
  const Ran served = second.run("serve"), checked = second.run("check");
  CHECK_STATUS(served, 2);
  CHECK_HAS(served.err, words);
  CHECK_STATUS(checked, 2);
  CHECK_HAS(checked.err, words);
  CHECK_STATUS(Caller(first).band({"run", "hello/greet", "--name", "World"}), 0);
  const Ran own = first.admin({"check"});
  CHECK_STATUS(own, 0);
  first.stop();
  CHECK_STATUS(second.run("check"), 0);  // the control
}

TEST_CASE("a server does not start with user ids of a running one") {
  Server first;
  const Second second(first, {"uid_base"});
  const std::string words = "another server on this machine has user ids of ";
  const Ran served = second.run("serve"), checked = second.run("check");
  CHECK_STATUS(served, 8);
  CHECK_HAS(served.err, words);
  CHECK_HAS(served.err, "`slots.uid_base` in server.yaml");
  CHECK_STATUS(checked, 8);
  CHECK_HAS(checked.err, words);
  first.kill();
  CHECK_STATUS(second.run("check"), 0);  // the control
  first.start();
  first.stop();
}

TEST_CASE("a server removes the empty control groups of an earlier version that had its run directory") {
  Server server;
  const std::string groups = read_file(server.run_dir() + "/groups");
  std::string path = server.run_dir();
  for (char& c : path)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  const std::string former = groups.substr(0, groups.find("/band-")) + "/band-" + path;
  const auto starts_with_groups_left = [&](bool by_former) {
    server.stop();
    std::filesystem::create_directories(former + "/slot-0-0");
    if (by_former) std::filesystem::remove(server.run_dir() + "/groups");
    server.start();
    const bool left = exists(former);
    std::error_code ignored;
    std::filesystem::remove(former + "/slot-0-0", ignored);
    std::filesystem::remove(former, ignored);
    return left;
  };
  // The control: such groups can belong to another server, whose run directory has the same path.
  CHECK(starts_with_groups_left(false));
  CHECK(!starts_with_groups_left(true));
  server.stop();
}
