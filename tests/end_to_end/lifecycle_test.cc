// The end of a run, of its caller, and of the server, in every order.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "tests/end_to_end/at_rest.h"
#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

// Each script writes kBegan after its traps are set: a signal before that ends bash without them.
constexpr const char* kBegan = "the script began";
constexpr const char* kSleep = "echo the script began >&2; sleep 60";
// It starts a process in another process group (set -m); the floor has no setsid.
constexpr const char* kNet = "allow: {net: [example.com]}";
constexpr const char* kStubborn =
    "trap '' TERM INT HUP\n(set -m; sleep 61 &)\necho the script began >&2\nwhile :; do sleep 1; done";

// A caller whose script is running.
Running started(const Caller& caller, const std::string& source, const std::string& rules = "") {
  caller.script("tool/go", source, rules);
  Running running = caller.start({"run", "tool/go", "--verbose"});
  const bool began = within(10'000, [&] { return contains(running.err(), kBegan); });
  REQUIRE_MESSAGE(began, running.err());
  return running;
}

// Returns the number of executions in the server's queue.
int waiting_at(const Caller& caller) {
  const std::string status = caller.band({"status", "--json"}).out, key = R"("queue":{"length":)";
  const std::size_t at = status.find(key);
  return at == std::string::npos ? -1 : std::stoi(status.substr(at + key.size()));
}

std::vector<Running> many(const Caller& caller, int count, const Words& words = {"run", "tool/go"}) {
  std::vector<Running> all;
  for (int i = 0; i < count; ++i) all.push_back(caller.start(words));
  return all;
}

}  // namespace

TEST_CASE("a caller that disconnects ends its execution; a script that ignores SIGTERM has one second") {
  const Caller caller(shared_server());
  for (const char* source : {kSleep, kStubborn}) {
    Running running = started(caller, source);
    running.signal(SIGKILL);
    CHECK(within(3'000, [] { return shared_server().script_processes().empty(); }));
  }
}

TEST_CASE("when its caller ends, by a signal or a disconnect, a script gets SIGTERM and can clean up") {
  const Caller caller(shared_server());
  const TempDir dir("/srv");
  REQUIRE(::chmod(dir.path.c_str(), 0777) == 0);
  const std::string source =
                        "trap 'echo cleaned > " + dir.path +
                        "/end; exit 8' TERM\necho the script began >&2\nwhile :; do echo line >&2; sleep 0.05; done\n",
                    rules = "allow: {read: [\"" + dir.path + "/**\"], write: [\"" + dir.path + "/**\"]}";
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGKILL}) {
    CAPTURE(signal);
    Running running = started(caller, source, rules);
    CHECK(!exists(dir.path + "/end"));
    running.signal(signal);
    CHECK(within(10'000, [&] { return contains(read_file(dir.path + "/end"), "cleaned"); }));
    CHECK(within(10'000, [] { return shared_server().script_processes().empty(); }));
    ::unlink((dir.path + "/end").c_str());
  }
}

TEST_CASE("Ctrl-C ends the execution, writes nothing back, and reports this") {
  const Caller caller(shared_server());
  caller.script("tool/go", "echo x > a.txt; sleep 60", "allow: {write: [\"./*.txt\"]}");
  Running running = caller.start({"run", "tool/go"});
  REQUIRE(within(10'000, [] { return !shared_server().script_processes().empty(); }));
  running.signal(SIGINT);
  const Ran ran = running.wait(20'000);
  CHECK_STATUS(ran, 128 + SIGINT);
  CHECK_HAS(ran.err, "interrupted");
  CHECK(within(10'000, [] { return shared_server().script_processes().empty(); }));
  CHECK(!exists(caller.work("a.txt")));
}

TEST_CASE("SIGTERM to the server ends running executions with an error, sends the answers, and exits with 0") {
  Server server;
  const Caller caller(server);
  Running plain = started(caller, kSleep), stubborn = started(caller, kStubborn),
          networked = started(caller, kSleep, kNet);
  server.stop();
  for (Running* running : {&plain, &stubborn, &networked}) {
    const Ran ran = running->wait(5000);
    CHECK_STATUS(ran, 8);
    CHECK_HAS(ran.err, "the server is stopping");
  }
}

TEST_CASE("kill -9 of the server leaves no process, and the next start removes the rest of the old one") {
  Server server;
  const Caller caller(server);
  Running plain = started(caller, kSleep), stubborn = started(caller, kStubborn),
          networked = started(caller, kSleep, kNet);
  server.kill();
  CHECK(within(10'000, [&] { return server.script_processes().empty(); }));
  for (Running* running : {&plain, &stubborn, &networked}) CHECK_STATUS(running->wait(5000), 8);
  server.start();
  const bool clean = within(4'000, [&] { return server.leftovers_of_killed().empty(); });
  CHECK_MESSAGE(clean, server.leftovers_of_killed());
  const Caller again(server);
  CHECK_STATUS(again.band({"run", "hello/greet", "--name", "World"}), 0);
  server.stop();
}

TEST_CASE("the capabilities of the engine, and of its bounding set, are at most fourteen") {
  const auto mask = [](const std::string& process, const std::string& name) {
    const std::string status = read_file("/proc/" + process + "/status"), key = "\n" + name + ":\t";
    REQUIRE(contains(status, key));
    return std::stoull(status.substr(status.find(key) + key.size(), 16), nullptr, 16);
  };
  const Server server;
  constexpr std::uint64_t kFourteen = 0x12c35eb;  // kCapabilities of server/serve.cc, as bits
  for (const std::string name : {"CapPrm", "CapEff", "CapBnd"}) {
    CAPTURE(name);
    CHECK(mask(std::to_string(server.pid()), name) == (mask("self", name) & kFourteen));
    CHECK((mask("self", name) & ~kFourteen) != 0);  // the control: root has more
  }
}

TEST_CASE("a server whose http process or gateway has exited ends running executions, reports the reason, and stops") {
  for (const std::string program : {"band-http", "band-gateway"}) {
    CAPTURE(program);
    Server server;
    const Caller caller(server);
    Running running = started(caller, kSleep, kNet);
    ::kill(server.helper_pid(program), SIGKILL);
    CHECK(server.running().wait(10'000).status != 0);
    CHECK_HAS(server.log(), program + " exited");
    const Ran ran = running.wait(20'000);
    CHECK(ran.status != 0);
    if (program == "band-gateway") CHECK_HAS(ran.err, "gateway");  // without band-http, no answer can be sent
    const bool clean = within(4'000, [&] { return server.leftovers().empty(); });
    CHECK_MESSAGE(clean, server.leftovers());
  }
}

TEST_CASE("a server whose zygote has exited ends running executions, reports the reason, and stops") {
  for (const std::string program : {"bwrap", "band-zygote"}) {
    CAPTURE(program);
    Server server;
    const Caller caller(server);
    Running running = started(caller, kSleep);
    ::kill(server.helper_pid(program), SIGKILL);
    CHECK(server.running().wait(10'000).status != 0);
    CHECK_HAS(server.log(), "the zygote of band-init exited");
    const Ran ran = running.wait(20'000);
    CHECK_STATUS(ran, 8);
    CHECK_HAS(ran.err, "the zygote of band-init exited");
    const bool clean = within(4'000, [&] { return server.leftovers().empty(); });
    CHECK_MESSAGE(clean, server.leftovers());
  }
}

TEST_CASE("a caller that waits while the server is killed gets an error that the server exited") {
  Server server("", "1");
  const Caller running(server), waiting(server);
  Running first = started(running, kSleep);
  waiting.script("tool/go", kEmptyOutput);
  Running second = waiting.start({"run", "tool/go"});
  REQUIRE(within(5000, [&] { return waiting_at(running) == 1; }));
  server.kill();
  for (Running* caller : {&first, &second}) {
    const Ran ran = caller->wait(20'000);
    CHECK_STATUS(ran, 8);
    CHECK_HAS(ran.err, "server");
  }
  CHECK(within(10'000, [&] { return server.script_processes().empty(); }));
  server.start();  // removes what the killed one left
  server.stop();
}

TEST_CASE("a thousand tokens with the longest names: the last one is accepted, and the server starts with them") {
  Server server;
  const std::string file = server.run_dir() + "/../tokens";
  std::string lines = read_file(file);
  REQUIRE(contains(lines, "laptop "));
  for (int i = 1; i < 999; ++i) {
    std::string digits = std::to_string(10'000'000 + i);
    lines += std::string(56, 'n') + digits + " " + digits + " " + std::string(64, 'f') + " 2026-01-01T00:00:00Z\n";
  }
  write_file(file, lines, 0600);
  server.add_token("last");
  CHECK(server.admin({"token", "add", "one-too-many"}).status == 2);
  CHECK(within(5000, [&] { return Caller(server, "last").band({"status"}).status == 0; }));
  server.stop();
  server.start();
  CHECK_STATUS(Caller(server, "last").band({"status"}), 0);
  CHECK_STATUS(Caller(server).band({"status"}), 0);
  server.stop();
}

TEST_CASE("20 concurrent runs of two callers all succeed on 4 slots") {
  Server server;
  server.add_token("other");
  REQUIRE(within(5000, [&] { return Caller(server, "other").band({"status"}).status == 0; }));
  const Caller one(server), other(server, "other");
  std::vector<Running> all;
  for (int i = 0; i < 20; ++i)
    all.push_back((i % 2 == 0 ? one : other).start({"run", "hello/greet", "--name", "caller " + std::to_string(i)}));
  for (int i = 0; i < 20; ++i) {
    const Ran ran = all[static_cast<std::size_t>(i)].wait();
    CHECK_STATUS(ran, 0);
    CHECK_HAS(ran.out, "Hello, caller " + std::to_string(i) + "!");
  }
  server.stop();
}

TEST_CASE("a full queue is reported as SERVER_BUSY immediately, and waiting requests get their turn") {
  Server server("queue: {length: 1, per_token: 1}\n", "1");
  const Caller caller(server);
  caller.script("tool/go", kHold + kEmptyOutput);
  std::vector<Running> all = many(caller, 6);
  const auto ended = [&] { return std::count_if(all.begin(), all.end(), [](Running& one) { return one.ended(); }); };
  CHECK(within(20'000, [&] { return ended() == 4; }));
  for (int i = 0; i < 2; ++i) {  // the first one runs, the second one waits
    CHECK(server.held());
    server.let_go();
  }
  int done = 0, busy = 0;
  for (Running& running : all) {
    const Ran ran = running.wait();
    CHECK_MESSAGE((ran.status == 0 || ran.status == 9), ran.text());
    if (ran.status == 9) CHECK_HAS(ran.err, "queue is full");
    done += ran.status == 0 ? 1 : 0;
    busy += ran.status == 9 ? 1 : 0;
  }
  CHECK(done == 2);
  CHECK(busy == 4);
  server.stop();
}

TEST_CASE("a caller that disconnects while it waits for a slot is not run") {
  Server server("", "1");
  const Caller first(server), waiting(server), next(server);
  first.script("tool/go", kHold + kEmptyOutput);
  Running one = first.start({"run", "tool/go"});
  REQUIRE(server.held());
  waiting.script("tool/waits", kSleep);
  Running two = waiting.start({"run", "tool/waits"});
  REQUIRE(within(5000, [&] { return waiting_at(next) == 1; }));
  two.signal(SIGKILL);
  CHECK(two.wait(20'000).status == 128 + SIGKILL);
  CHECK(within(5000, [&] {
    return at_rest(server.http_pid(), server.port());
  }));  // it has detected that the caller disconnected
  server.let_go();
  CHECK_STATUS(one.wait(), 0);
  const Ran ran = next.run(kEmptyOutput);
  CHECK_STATUS(ran, 0);
  CHECK(ran.ms < 5000);
  server.stop();
  CHECK_HAS(server.log(), "script=tool/go");  // the control
  CHECK_HAS_NOT(server.log(), "script=tool/waits");
}

TEST_CASE("two concurrent executions cannot see each other") {
  const Caller caller(shared_server());
  caller.script(
      "tool/go",
      "echo mine > /tmp/mark; echo mine > mark\n" + kHold +
          "jq -n --arg files \"$(ls /tmp . | tr '\\n' ' ')\" --arg pids \"$(ls /proc | grep -c '^[0-9]')\" --arg who "
          "\"$(id -u)\" '{$files,$pids,$who}' > \"$OUTPUT_PATH\"");
  std::vector<Running> two = many(caller, 2);
  CHECK(shared_server().held(2));                     // both run
  CHECK(shared_server().script_users().size() == 2);  // each with its own user
  shared_server().let_go();
  std::vector<std::string> outputs;
  for (Running& running : two) {
    const Ran ran = running.wait();
    REQUIRE_STATUS(ran, 0);
    CHECK_HAS(ran.out, R"("files":".: mark  /tmp: mark ")");
    outputs.push_back(ran.out);
  }
  CHECK(outputs[0] != outputs[1]);
}

TEST_CASE("an execution finds no trace of the one before it in the same slot") {
  Server server("", "1");
  const Caller caller(server);
  CHECK_STATUS(caller.run(std::string("echo x | tee /tmp/mark mark > /dev/null; ") + kEmptyOutput), 0);
  const Ran ran = caller.run("find /tmp . -type f | jq -Rcs . > $OUTPUT_PATH");
  REQUIRE_STATUS(ran, 0);
  CHECK(ran.out == "\"\"\n");
  server.stop();
}

TEST_CASE("a second server with the same run directory does not start") {
  const Ran ran = shared_server().admin({"serve"});
  CHECK_MESSAGE((ran.status != 0 && contains(ran.err, "already running")), ran.text());
}
