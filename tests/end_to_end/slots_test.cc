// Slots are started when executions need them; a slot that cannot be started is out of service until it can.
#include <filesystem>
#include <fstream>
#include <vector>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;
namespace fs = std::filesystem;

namespace {

constexpr int kSpare = 2;

std::string with_spare(int count) { return std::to_string(count) + ", spare: " + std::to_string(kSpare); }

bool slots_come_to(const Server& server, int count) {
  return within(20'000, [&] { return server.slots() == count; });
}

std::string metrics(const Server& server) {
  const std::string token = "Authorization: Bearer " + server.token("laptop");
  return Running({"/usr/bin/curl", "-sS", "-H", token, server.url() + "/v1/metrics"}, {{"PATH", "/usr/bin:/bin"}}, "/")
      .wait()
      .out;
}

bool metric_comes_to(const Server& server, const std::string& line) {
  return within(20'000, [&] { return ("\n" + metrics(server)).find("\n" + line + "\n") != std::string::npos; });
}

// Returns the path of the network namespace of the only slot.
std::string path_of_network(const Server& server) {
  for (const auto& task : fs::directory_iterator("/proc/" + std::to_string(server.pid()) + "/task"))
    if (read_file(task.path() / "comm") == "slot-0\n") return task.path() / "ns/net";
  FAIL("the slot has no thread");
  return "";
}

std::string network_of_slot(const Server& server) {
  std::string network = fs::read_symlink(path_of_network(server));
  REQUIRE(network.starts_with("net:["));
  return network;
}

// Runs iptables(8) in the network namespace of the only slot.
Ran iptables(const Server& server, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(),
                   {"/usr/bin/nsenter", "--net=" + path_of_network(server), "/usr/sbin/iptables-legacy"});
  return Running(arguments, {{"PATH", "/usr/sbin:/usr/bin"}}, "/").wait();
}

}  // namespace

TEST_CASE("a slot gets a new network namespace after an execution with net rules that sent a packet, and only then") {
  Server server("", "1");
  const Caller caller(server);
  const std::string net = "allow: {net: [example.com]}", send = "(: <>/dev/tcp/198.51.100.7/9) 2>/dev/null || true\n";
  caller.script("tool/quiet", kEmptyOutput, net);
  caller.script("tool/sends", send + kEmptyOutput, net);
  caller.script("tool/closed", send + kEmptyOutput);
  const std::string first = network_of_slot(server);
  REQUIRE(first.find("net:[") == 0);
  for (const char* script : {"tool/quiet", "tool/closed"}) {
    CHECK_STATUS(caller.band({"run", script}), 0);
    CHECK_STATUS(caller.band({"run", script}), 0);  // the slot has finished with the one before
    CHECK(network_of_slot(server) == first);
  }
  CHECK_STATUS(caller.band({"run", "tool/sends"}), 0);
  CHECK(within(5'000, [&] { return network_of_slot(server) != first; }));
  server.stop();
}

TEST_CASE("a slot gets a new network namespace after an execution whose firewall chain cannot be removed") {
  Server server("", "1");
  const Caller caller(server);
  caller.script("tool/go", kHold + kEmptyOutput);
  const std::string first = network_of_slot(server);
  REQUIRE(first.find("net:[") == 0);
  Running running = caller.start({"run", "tool/go"});
  REQUIRE(server.held());
  const std::string rules = iptables(server, {"-S"}).out;
  const std::size_t at = rules.find("BAND-");
  REQUIRE(at != std::string::npos);
  const std::string chain = rules.substr(at, rules.find_first_of(" \n", at) - at);
  // The kernel does not delete a chain to which a rule jumps.
  CHECK_STATUS(iptables(server, {"-N", "OTHER"}), 0);
  CHECK_STATUS(iptables(server, {"-A", "OTHER", "-j", chain}), 0);
  server.let_go();
  CHECK_STATUS(running.wait(), 0);
  CHECK(within(5'000, [&] { return network_of_slot(server) != first; }));
  CHECK_HAS(server.log(), "cannot remove the network of an execution; the network namespace of the slot is renewed");
  CHECK_STATUS(caller.band({"run", "hello/greet", "--name", "World"}), 0);
  const Ran left = iptables(server, {"-S"});
  CHECK_STATUS(left, 0);
  CHECK_HAS_NOT(left.out, chain);
  server.stop();
}

TEST_CASE("a server has started its spare slots, and starts one more for each execution") {
  Server server("", with_spare(kSpare + 6));
  const Caller caller(server);
  caller.script("tool/go", kHold + kEmptyOutput);
  REQUIRE(slots_come_to(server, kSpare));
  CHECK(metric_comes_to(server, "band_slots_started " + std::to_string(kSpare)));
  CHECK(metric_comes_to(server, "band_slots " + std::to_string(kSpare + 6)));
  std::vector<Running> running;
  for (int held = 1; held <= 3; ++held) {
    running.push_back(caller.start({"run", "tool/go"}));
    REQUIRE(server.held(static_cast<std::size_t>(held)));
    CHECK(slots_come_to(server, kSpare + held));
  }
  CHECK(metric_comes_to(server, "band_slots_started " + std::to_string(kSpare + 3)));
  server.let_go();
  for (Running& each : running) CHECK_STATUS(each.wait(), 0);
  CHECK(server.slots() == kSpare + 3);
  server.stop();
}

TEST_CASE("every configured slot serves when that many executions run at the same time") {
  const int count = kSpare + 3;
  Server server("", with_spare(count));
  const Caller caller(server);
  caller.script("tool/go", kHold + kEmptyOutput);
  std::vector<Running> running;
  running.reserve(count);
  for (int i = 0; i < count; ++i) running.push_back(caller.start({"run", "tool/go"}));
  REQUIRE(server.held(static_cast<std::size_t>(count)));
  CHECK(server.slots() == count);
  server.let_go();
  for (Running& each : running) CHECK_STATUS(each.wait(), 0);
  server.stop();
}

TEST_CASE("a slot that cannot be started is out of service until it can, and the others serve") {
  Server server("", with_spare(kSpare + 2));
  const Caller caller(server);
  caller.script("tool/go", kHold + kEmptyOutput);
  REQUIRE(slots_come_to(server, kSpare));
  const std::string place = server.run_dir() + "/stage/" + std::to_string(kSpare);
  std::ofstream(place) << "no directory";
  Running running = caller.start({"run", "tool/go"});
  REQUIRE(server.held());
  CHECK(metric_comes_to(server, "band_slots_dying 1"));
  CHECK_HAS(server.log(), "slot " + std::to_string(kSpare) + ": ");
  CHECK_HAS(server.log(), "the slot is out of service until a retry succeeds");
  CHECK_STATUS(caller.band({"run", "hello/greet", "--name", "World"}), 0);
  REQUIRE(fs::remove(place));
  CHECK(metric_comes_to(server, "band_slots_dying 0"));
  CHECK_HAS(server.log(), "slot " + std::to_string(kSpare) + " is in service");
  server.let_go();
  CHECK_STATUS(running.wait(), 0);
  server.stop();
}

TEST_CASE("metrics have the time of executions by phase") {
  Server server("", "1");
  const Caller caller(server);
  CHECK(metrics(server).find("band_phase_seconds_total{") == std::string::npos);
  CHECK_STATUS(caller.run(std::string("sleep 0.3\n") + kEmptyOutput), 0);
  const auto seconds = [text = metrics(server)](const std::string& phase) {
    const std::string line = "band_phase_seconds_total{phase=\"" + phase + "\"} ";
    const std::size_t at = text.find(line);
    return at == std::string::npos ? -1.0 : std::stod(text.substr(at + line.size()));
  };
  CHECK(seconds("run") >= 0.3);
  for (const char* phase : {"queue", "setup", "teardown"}) {
    CAPTURE(phase);
    CHECK(seconds(phase) >= 0);
    CHECK(seconds(phase) < seconds("run") + 5);
  }
  server.stop();
}
