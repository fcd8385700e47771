// The loop of an execution. The test plays band-init, the commands' holder, shims, the gateway and the client, so that
// events come within one poll(2), or in an order that is rare with the real programs.
#include "server/execution/supervise.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "server/base/channel.h"
#include "server/base/io.h"
#include "server/firewall/firewall.h"
#include "server/gateway_link/event.h"
#include "server/slot/network.h"
#include "tests/broker_at.h"
#include "tests/door_place.h"
#include "tests/played_sandbox.h"
#include "tests/thread_state.h"

using namespace band;
using namespace band::test;

namespace {

using Act = std::function<void()>;
constexpr uid_t kSlotUid = 0x72000000;

// Moves this program into a network namespace like that of a slot, for one execution at a time.
bool in_slots_network() {
  ::signal(SIGPIPE, SIG_IGN);
  return ::unshare(CLONE_NEWNET) == 0 && slot::prepare_network().ok() && firewall::prepare().ok();
}

// The gateway process of an execution. It is forked before other descriptors exist that it would keep open.
class PlayedGateway {
 public:
  explicit PlayedGateway(bool serves) {
    static const bool ready = in_slots_network();
    REQUIRE(ready);
    auto control = base::channel();
    REQUIRE(control.ok());
    std::optional<gateway::Policy> policy;
    if (serves) policy.emplace().net.opened.push_back({{"any.example", "BAND.md:1"}});
    const std::string id = "ab";
    auto started = run::Network::start({kSlotUid, id, policy, {control->first.get(), ::getuid()}});
    REQUIRE(started.ok());
    network = std::move(*started);
    if (!serves) return;
    auto order = base::receive(control->second.get());
    REQUIRE(order.ok());
    REQUIRE(order->fds.size() == 5);
    engine = std::move(order->fds[0]);          // the other sockets are closed: no process connects
    REQUIRE(base::receive(engine.get()).ok());  // the policy: closing the socket with it unread would be a reset
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    const base::Fd wait(ends[0]);
    go_.reset(ends[1]);
    process_ = ::fork();
    if (process_ != 0) return;
    ::close(network->fd());
    go_.reset();
    char go = 0;
    const base::Fd self(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
    if (::read(wait.get(), &go, 1) != 1 ||
        !base::send(engine.get(), gateway::encode(gateway::Event{}) + "\n", {self.get()}).ok())
      ::_exit(1);
    for (;;) ::pause();
  }
  ~PlayedGateway() {
    kill();
    network.reset();
  }
  PlayedGateway(const PlayedGateway&) = delete;
  PlayedGateway& operator=(const PlayedGateway&) = delete;

  void sends_ready() const { REQUIRE(::write(go_.get(), "x", 1) == 1); }
  void sends(gateway::Event::Kind kind, const std::string& text) const {
    gateway::Event event;
    event.kind = kind;
    event.text = text;
    REQUIRE(base::write_all(engine.get(), gateway::encode(event) + "\n").ok());
  }
  void kill() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
    }
    process_ = -1;
    engine.reset();
  }

  std::unique_ptr<run::Network> network;
  base::Fd engine;

 private:
  base::Fd go_;
  pid_t process_ = -1;
};

// Runs the next act at each request of a shim, in the loop.
class Recorder : public broker::Witness {
 public:
  std::vector<std::string> masked(const std::vector<std::string>& argv) const override { return argv; }
  void ended(const broker::Ended&) override {}
  void refused(const std::vector<std::string>&, const Decision&) override { next_act(); }
  void not_passed(const std::string&, const broker::NotPassed&) override {}
  void malformed(const Error&) override {}

  void next_act() {
    if (acts.empty()) return;
    const Act act = std::move(acts.front());
    acts.pop_front();
    act();
  }
  std::deque<Act> acts;
};

std::string texts_of(const std::vector<LedgerEntry>& entries) {
  std::string text;
  for (const LedgerEntry& entry : entries) text += entry.text + "\n";
  return text;
}

struct With {
  std::vector<std::string> declared = {};  // a command, whose holder is played
  bool serves = false;                     // a gateway is played
  bool boosted = false;                    // the shares of the slot cannot be set
  bool script_by_pipe = false;             // see PlayedSandbox::View
  std::size_t variable_bytes = 0;          // the script has a variable of at least this size; 0: none
  std::int64_t max_runtime_ms = 60'000;
};

// Not periodic, so that a part sent twice or at the wrong offset would be noticed.
std::string large_variable(std::size_t size) {
  std::string text = "LARGE=";
  for (int i = 0; text.size() < size; ++i) text += std::to_string(i) + ",";
  return text;
}

class Execution {
 public:
  explicit Execution(With with = {})
      : gateway(with.serves),
        script(with.script_by_pipe ? PlayedSandbox::View::ScriptByPipe : PlayedSandbox::View::Script),
        with_(std::move(with)) {
    broker::Broker broker = broker_at(place, recorder, with_.declared, [this] { recorder.next_act(); });
    run::CommandView view;
    if (!with_.declared.empty()) view.holder = std::move(holder.sandbox);
    commands_.emplace(std::move(broker), std::move(view), nullptr);
    auto ends = base::stream_pair();
    REQUIRE(ends.ok());
    reply_ = run::ReplyWriter(std::move(ends->first));
    client = std::move(ends->second);
    auto record = run::Record::open({}, mask_, reply_, 0);
    REQUIRE(record.ok());
    record_.emplace(std::move(*record));
    if (!with_.boosted) boosts_.charge("test", 1'000'000'000, base::monotonic_us());
    boost_.emplace(boosts_, slot_, "test");
    cancellation.event.reset(::eventfd(0, EFD_CLOEXEC));
    script_.argv = {"/bin/true"};
    if (with_.variable_bytes > 0) script_.env = {large_variable(with_.variable_bytes)};
  }
  ~Execution() {
    client.reset();  // ends the loop, also after a failed check
    if (loop_.joinable()) loop_.join();
    for (PlayedSandbox* each : {&script, &holder}) each->control.reset();
  }
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  run::Course run() {
    return run::supervise({script.sandbox, out_, err_, reply_, *commands_, *gateway.network, *record_, *boost_, files_,
                           nullptr, &cancellation, with_.max_runtime_ms},
                          script_);
  }
  // Runs the loop in a thread.
  void begin() {
    loop_ = std::thread([this] {
      loop_tid_ = ::gettid();
      course_ = run();
    });
  }
  run::Course end() {
    loop_.join();
    return course_;
  }

  // Starts the script and runs `act` in the loop, so that the next poll(2) finds all its effects.
  run::Course run_until(const Act& act) {
    const auto ask = [this] { asks(); };
    recorder.acts = {ask, ask, ask, act};
    ask();
    starts();
    return run();
  }
  void asks() { shims.push_back(place.ask(shim_request())); }
  // Everything is ready, and the script starts.
  void starts(const std::vector<int>& script_pidfd = {}) {
    if (!with_.declared.empty()) {
      holder.sends(report_of(Kind::Ready));
      holder.sends(report_of(Kind::Started));
    }
    script.sends(report_of(Kind::Ready));
    script.sends(report_of(Kind::Started), script_pidfd);
  }
  // Waits until the loop has processed all earlier events: it sends the mark to the client at the beginning of a round,
  // and this round is complete when its thread sleeps, which happens only in poll(2).
  void settle() {
    const std::string mark = "mark " + std::to_string(++marks_) + ".";
    REQUIRE(::write(script.out.get(), mark.data(), mark.size()) == static_cast<ssize_t>(mark.size()));
    REQUIRE(client_receives(mark));
    for (char state = 'R'; state != 'S'; state = thread_state(::getpid(), loop_tid_)) REQUIRE(state != '\0');
  }
  bool client_receives(const std::string& text) {
    while (received.find(text) == std::string::npos) {
      if (!is_readable(client, 10'000)) return false;
      char bytes[65536];
      const ssize_t n = ::recv(client.get(), bytes, sizeof bytes, 0);
      if (n <= 0) return false;
      received.append(bytes, static_cast<std::size_t>(n));
    }
    return true;
  }
  std::string ledger() { return texts_of(record_->ledger().release()); }
  // The size of the reports that were not read.
  int unread_bytes() const {
    int bytes = 0;
    REQUIRE(::ioctl(script.sandbox.control(), FIONREAD, &bytes) == 0);
    return bytes;
  }
  run::ReplyWriter& reply() { return reply_; }
  void watches_files(run::FileWitness* files) { files_ = files; }

  PlayedGateway gateway;  // the first member: see PlayedGateway
  PlayedSandbox script, holder{PlayedSandbox::View::Command};
  DoorPlace place;
  Recorder recorder;
  std::vector<base::Fd> shims;
  base::Fd client;
  std::string received;  // the bytes that the client has received
  run::Cancellation cancellation;

 private:
  With with_;
  const run::Mask mask_;
  run::Log out_{"stdout", script.sandbox.take_stdout(), mask_}, err_{"stderr", script.sandbox.take_stderr(), mask_};
  run::ReplyWriter reply_;
  std::optional<run::Commands> commands_;
  std::optional<run::Record> record_;
  run::Boosts boosts_;
  const slot::Slot slot_;
  std::optional<run::Boost> boost_;
  run::FileWitness* files_ = nullptr;
  init::Script script_;
  std::thread loop_;
  run::Course course_;
  std::atomic<pid_t> loop_tid_ = 0;
  int marks_ = 0;
};

// "exited 3", "killed 9", "timed out", "cancelled: WHY", or the error of a failed set-up.
std::string ending_of(const run::Course& course) {
  struct Names {
    std::string operator()(const run::Exited& exited) const { return "exited " + std::to_string(exited.status); }
    std::string operator()(const run::Killed& killed) const { return "killed " + std::to_string(killed.signal); }
    std::string operator()(const run::TimedOut&) const { return "timed out"; }
    std::string operator()(const run::Cancelled& cancelled) const { return "cancelled: " + cancelled.why; }
    std::string operator()(const run::SetupFailed& failed) const { return failed.error.message(); }
  };
  return std::visit(Names{}, course.ending);
}

init::Report failed_with(const char* layer, const char* text) {
  init::Report report = report_of(Kind::Failed);
  std::copy_n(layer, std::string_view(layer).size(), report.layer);
  std::copy_n(text, std::string_view(text).size(), report.text);
  return report;
}

// A process in place of a script: `sleep`, which SIGTERM ends.
class Sleeper {
 public:
  Sleeper() {
    const base::Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    base::Spawn what;
    what.argv = {"/usr/bin/setsid", "sleep", "1000"};
    what.env = {"PATH=/usr/bin"};
    what.fds = {null.get(), null.get(), null.get()};
    auto spawned = base::spawn(what);
    REQUIRE(spawned.ok());
    child_ = std::move(*spawned);
  }
  int pidfd() const { return child_.pidfd(); }
  bool lives() { return !child_.wait(0); }
  bool was_terminated(int ms) {
    const auto exit = child_.wait(ms);
    return exit && exit->signalled && exit->code == SIGTERM;
  }

 private:
  base::Child child_;
};

// Two shipped files.
class Workspace {
 public:
  Workspace() {
    REQUIRE(::mkdtemp(path_.data()) != nullptr);
    for (const ShippedFile& file : shipped_) REQUIRE(base::write_file(path_ + "/" + file.path, "x", 0644).ok());
    fd_.reset(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  ~Workspace() { std::filesystem::remove_all(path_); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  int fd() const { return fd_.get(); }
  void read(const std::string& name) const { REQUIRE(base::read_file(path_ + "/" + name, 10).ok()); }
  std::unique_ptr<run::FileWitness> witness(const Rules& rules, const std::vector<view::DeclaredMount>& mounts,
                                            run::Record& record) const {
    auto called = run::FileWitness::call({rules, fd_.get(), mounts, links_, shipped_, {0, 0}, go_on_, record});
    REQUIRE(called.ok());
    return std::move(*called);
  }

 private:
  std::string path_ = "/tmp/band-supervise-XXXXXX";
  base::Fd fd_;
  const view::FollowedLinks links_;
  const std::function<bool()> go_on_ = [] { return true; };
  const std::vector<ShippedFile> shipped_ = {{"a", 0644, "x"}, {"b", 0644, "x"}};
};

const run::Mask kNoMask;
const std::string kGatewayEnded = "gateway: the gateway process of this execution exited";

}  // namespace

TEST_CASE(
    "the script is sent once, when the script view, the command view and the network are ready, in whatever order they "
    "become ready") {
  std::array<int, 3> order = {0, 1, 2};
  do {
    CAPTURE(order[0]);
    CAPTURE(order[1]);
    Execution execution({.declared = {"jq"}, .serves = true});
    const Act acts[] = {[&] { execution.script.sends(report_of(Kind::Ready)); },
                        [&] {
                          execution.holder.sends(report_of(Kind::Ready));
                          execution.settle();
                          CHECK_FALSE(execution.script.is_sent_something());
                          execution.holder.sends(report_of(Kind::Started));
                        },
                        [&] { execution.gateway.sends_ready(); }};
    execution.begin();
    for (const int part : order) {
      execution.settle();
      CHECK_FALSE(execution.script.is_sent_something());
      acts[part]();
    }
    CHECK(execution.script.started_script().argv == std::vector<std::string>{"/bin/true"});
    execution.script.sends(report_of(Kind::Ready));
    execution.gateway.sends(gateway::Event::Kind::Refused, "no");
    execution.settle();
    CHECK_FALSE(execution.script.is_sent_something());
    execution.script.sends(report_of(Kind::Started));
    execution.script.sends(report_of(Kind::Ended, 3));
    CHECK(ending_of(execution.end()) == "exited 3");
    CHECK(execution.ledger() == "no\n");
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("an execution fails if the process for the script exits before it has read the script") {
  Execution execution({.script_by_pipe = true});
  SUBCASE("before the script was sent") {}
  SUBCASE("and the pipe has no reader when the script is sent") {
    execution.script.script.reset();
    execution.script.sends(report_of(Kind::Ready));
  }
  SUBCASE("after the script was sent") { execution.script.sends(report_of(Kind::Ready)); }
  execution.script.sends(report_of(Kind::Started));
  const run::Course course = execution.run();
  CHECK(ending_of(course) == "init: the process for the script exited before it executed the script");
  CHECK(course.started_us == 0);
}

TEST_CASE(
    "if a layer of the script fails, the execution fails with this layer, although the script could not be sent") {
  Execution execution;
  execution.script.script.reset();
  execution.script.sends(report_of(Kind::Ready));
  execution.script.sends(failed_with("landlock", "cannot restrict"));
  CHECK(ending_of(execution.run()) == "landlock: cannot restrict");
}

TEST_CASE("a script that is larger than a pipe is sent in parts, and other events are processed in between") {
  Execution execution({.script_by_pipe = true, .variable_bytes = 1 << 20});
  execution.begin();
  execution.script.sends(report_of(Kind::Ready));
  REQUIRE(is_readable(execution.script.script, 5'000));
  execution.settle();
  std::string ending;
  SUBCASE("the process reads all of it") {
    const init::Script script = execution.script.started_script();
    CHECK((script.env == std::vector<std::string>{large_variable(1 << 20)}));
    execution.script.sends(report_of(Kind::Started));
    execution.script.sends(report_of(Kind::Ended, 3));
    ending = "exited 3";
  }
  SUBCASE("the process exits") {
    execution.script.script.reset();
    execution.settle();  // the loop sleeps, although poll(2) reports the pipe until it is closed
    execution.script.sends(report_of(Kind::Started));
    ending = "init: the process for the script exited before it executed the script";
  }
  SUBCASE("the client disconnects") {
    execution.client.reset();
    ending = "cancelled: the client disconnected";
  }
  CHECK(ending_of(execution.end()) == ending);
}

TEST_CASE("without commands and net rules, the script is sent when the script view is ready") {
  Execution execution;
  execution.begin();
  execution.settle();
  CHECK_FALSE(execution.script.is_sent_something());
  execution.script.sends(report_of(Kind::Ready));
  CHECK(execution.script.started_script().argv.size() == 1);
  execution.client.reset();
  const run::Course course = execution.end();
  CHECK(ending_of(course) == "cancelled: the client disconnected");
  CHECK(course.started_us == 0);
}

TEST_CASE(
    "if two endings occur in one poll, the first in the order commands, network, script, client, cancellation is the "
    "result") {
  struct Pair {
    std::vector<std::string> events;
    std::string ending;
  };
  const std::string left = "cancelled: the client disconnected";
  for (const Pair& pair :
       {Pair{{"script ends", "client leaves"}, "exited 3"}, Pair{{"client leaves", "script ends"}, "exited 3"},
        Pair{{"cancel", "script ends"}, "exited 3"}, Pair{{"script ends", "gateway ends"}, kGatewayEnded},
        Pair{{"script ends", "holder ends"}, "killed 9"}, Pair{{"gateway ends", "holder ends"}, "killed 9"},
        Pair{{"holder fails", "gateway ends"},
             "run: protocol error: unexpected Ended report from band-init of the command view"},
        Pair{{"cancel", "client leaves"}, left}, Pair{{"cancel", "gateway ends"}, kGatewayEnded},
        Pair{{"client leaves", "gateway ends"}, kGatewayEnded}, Pair{{"script ends"}, "exited 3"},
        Pair{{"client leaves"}, left}}) {
    CAPTURE(pair.events[0]);
    CAPTURE(pair.events.back());
    Execution execution({.declared = {"jq"}, .serves = true});
    execution.gateway.sends_ready();
    REQUIRE(is_readable(base::Fd(::dup(execution.gateway.network->fd())), 10'000));
    const auto happens = [&](const std::string& event) {
      if (event == "script ends") execution.script.sends(report_of(Kind::Ended, 3));
      if (event == "script ends") execution.script.sends(failed_with("run", "after its end"));
      if (event == "client leaves") execution.client.reset();
      if (event == "cancel") execution.cancellation.cancel("the caller asked");
      if (event == "gateway ends") execution.gateway.kill();
      if (event == "holder ends") execution.holder.control.reset();
      if (event == "holder fails") execution.holder.sends(report_of(Kind::Ended));
    };
    const run::Course course = execution.run_until([&] {
      for (const std::string& event : pair.events) happens(event);
    });
    CHECK(ending_of(course) == pair.ending);
    CHECK(course.started_us != 0);
  }
}

TEST_CASE("a report that arrives after the end of the execution is not read") {
  Execution execution;
  const run::Course course = execution.run_until([&] {
    execution.script.sends(report_of(Kind::Ended, 3));
    execution.script.sends(failed_with("run", "after its end"));
    execution.script.sends(report_of(Kind::Ended, 0));
  });
  CHECK(ending_of(course) == "exited 3");
  CHECK(execution.unread_bytes() == 2 * sizeof(init::Report));
}

TEST_CASE("a request to the broker that arrives in the same poll as the end of the script starts no command") {
  for (const bool ends : {false, true}) {  // false is the control: the command starts
    CAPTURE(ends);
    Execution execution({.declared = {"gh"}});
    const Act leave = [&] { execution.client.reset(); };
    const run::Course course = execution.run_until([&] {
      if (ends) execution.holder.sends(report_of(Kind::Ended));
      if (!ends) execution.recorder.acts = {leave};
      execution.asks();
    });
    CHECK(std::holds_alternative<run::SetupFailed>(course.ending) == ends);
    int orders = 0;
    for (; execution.holder.is_sent_something(); ++orders)
      REQUIRE(base::receive(execution.holder.control.get(), sizeof(init::StartCommand), base::kMostMessageFds).ok());
    CHECK(orders == (ends ? 4 : 5));
  }
}

TEST_CASE(
    "the script is not sent if the gateway or the holder fails in the same poll in which the view becomes ready") {
  Execution execution({.declared = {"gh"}, .serves = true});
  std::string ending;
  SUBCASE("the gateway") {
    execution.gateway.kill();
    ending = kGatewayEnded;
  }
  SUBCASE("the holder") {
    execution.holder.sends(failed_with("landlock", "restrict"));
    ending = "landlock: restrict";
  }
  execution.script.sends(report_of(Kind::Ready));
  CHECK(ending_of(execution.run()) == ending);
  CHECK_FALSE(execution.script.is_sent_something());
  CHECK_FALSE(execution.holder.is_sent_something());
}

TEST_CASE("a cancellation or a disconnected client before the script's start ends the execution in the first poll") {
  Execution execution;
  std::string ending;
  SUBCASE("cancelled") {
    execution.cancellation.cancel("the caller asked");
    execution.cancellation.cancel("the server stops");
    ending = "cancelled: the caller asked";
  }
  SUBCASE("disconnected") {
    execution.client.reset();
    ending = "cancelled: the client disconnected";
  }
  SUBCASE("the client has closed its side for writing") {
    ::shutdown(execution.client.get(), SHUT_WR);
    ending = "cancelled: the client disconnected";
  }
  const run::Course course = execution.run();
  CHECK(ending_of(course) == ending);
  CHECK(course.started_us == 0);
}

TEST_CASE("a script that is cancelled gets SIGTERM, and the result is Cancelled for any exit code") {
  Sleeper sleeper;
  Execution execution;
  execution.starts({sleeper.pidfd()});
  execution.begin();
  execution.settle();
  CHECK(sleeper.lives());
  execution.cancellation.cancel("the caller asked");
  CHECK(sleeper.was_terminated(5'000));
  execution.script.sends(report_of(Kind::Ended, 0));
  CHECK(ending_of(execution.end()) == "cancelled: the caller asked");
}

TEST_CASE("a script that ends in the same poll in which it is cancelled gets no signal") {
  Sleeper sleeper;
  Execution execution;
  const auto ask = [&] { execution.asks(); };
  execution.recorder.acts = {ask, ask, ask, [&] {
                               execution.cancellation.cancel("the caller asked");
                               execution.script.sends(report_of(Kind::Ended, 3));
                             }};
  execution.asks();
  execution.starts({sleeper.pidfd()});
  CHECK(ending_of(execution.run()) == "exited 3");
  CHECK_FALSE(sleeper.was_terminated(50));
}

TEST_CASE(
    "a script at its time limit gets SIGTERM and is killed one second later; a cancellation in this second has no "
    "effect") {
  Sleeper sleeper;
  Execution execution({.max_runtime_ms = 50});
  execution.starts({sleeper.pidfd()});
  std::thread caller([&] {
    if (!sleeper.was_terminated(5'000)) return;
    execution.cancellation.cancel("the caller asked");
  });
  const std::int64_t cpu = base::thread_cpu_us(), began = base::monotonic_us();
  const run::Course course = execution.run();
  CHECK(base::monotonic_us() - began >= 1'050'000);
  CHECK(base::thread_cpu_us() - cpu < 300'000);  // the loop does not spin on the ignored cancellation
  caller.join();
  CHECK_FALSE(execution.cancellation.why().empty());
  CHECK(ending_of(course) == "timed out");
}

TEST_CASE("if a sandbox ends without a report before its script starts, this is the error, whatever stderr has") {
  Execution execution({.declared = {"gh"}});
  SUBCASE("immediately") {}
  SUBCASE("after Ready") { execution.script.sends(report_of(Kind::Ready)); }
  SUBCASE("after output to stderr") { execution.script.complains("not a report"); }
  execution.script.control.reset();
  const run::Course course = execution.run();
  CHECK(ending_of(course) == "run: band-init ended without a report");
  CHECK(course.started_us == 0);
}

TEST_CASE("if a sandbox ends while its script runs, the error is that it was killed, whatever stderr has") {
  Execution execution;
  const run::Course course = execution.run_until([&] {
    execution.script.complains("said by the script");
    execution.script.control.reset();
  });
  CHECK(ending_of(course) == "killed 9");
  CHECK(execution.client_receives("said by the script"));
}

TEST_CASE(
    "a malformed or unexpected report of band-init fails the execution and is not treated as the end of the script") {
  struct {
    std::string bytes, ending;
  } const none[] = {{bytes_of(report_of(Kind(6))), "run: band-init sent an unknown report"},
                    {"abc", "run: band-init sent an incomplete report"},
                    {bytes_of(report_of(Kind::CommandEnded)),
                     "run: protocol error: unexpected CommandEnded report of the script view"},
                    {bytes_of(failed_with("syscalls", "load")), "syscalls: load"}};
  for (const auto& report : none) {
    CAPTURE(report.ending);
    for (const bool running : {false, true}) {
      CAPTURE(running);
      Execution execution;
      execution.script.complains("said by the script");
      const auto say = [&] { REQUIRE(base::send(execution.script.control.get(), report.bytes).ok()); };
      if (!running) say();
      CHECK(ending_of(running ? execution.run_until(say) : execution.run()) == report.ending);
    }
  }
}

TEST_CASE("the exit status and the CPU time of the script are those that band-init reports") {
  for (const bool signalled : {false, true}) {
    init::Report ended = report_of(Kind::Ended, 11);
    ended.signalled = signalled ? 1 : 0;
    ended.cpu_us = 77;
    Execution execution;
    const run::Course course = execution.run_until([&] { execution.script.sends(ended); });
    CHECK(ending_of(course) == (signalled ? "killed 11" : "exited 11"));
    CHECK(course.cpu_us == 77);
  }
}

TEST_CASE("a client that reads late receives the output while the script still runs") {
  Execution execution;
  execution.starts();
  execution.begin();
  (void)execution.script.started_script();
  const std::string piece(64 << 10, 'x');
  for (int i = 0; i < 12; ++i) REQUIRE(base::write_all(execution.script.out.get(), piece).ok());
  REQUIRE(base::write_all(execution.script.out.get(), "the end of it").ok());
  CHECK(execution.client_receives("the end of it"));
  CHECK(std::count(execution.received.begin(), execution.received.end(), 'x') == 12 * (64 << 10));
  execution.script.sends(report_of(Kind::Ended, 0));
  CHECK(ending_of(execution.end()) == "exited 0");
}

TEST_CASE("after the script has closed its pipes, the server uses no CPU time for them while the script runs") {
  Execution execution({.max_runtime_ms = 300});
  execution.script.out.reset();
  execution.script.err.reset();
  execution.starts();
  const std::int64_t cpu = base::thread_cpu_us();
  CHECK(ending_of(execution.run()) == "timed out");
  CHECK(base::thread_cpu_us() - cpu < 300'000);
}

TEST_CASE("a boost ends 0.1 s after the script's start, and the execution fails when the boost cannot be ended") {
  Execution execution({.boosted = true, .max_runtime_ms = 10'000});
  execution.starts();
  const run::Course course = execution.run();
  CHECK(ending_of(course) == "slot: cannot set the shares of slot 0: Bad file descriptor");
  const std::int64_t after = base::monotonic_us() - course.started_us;
  CHECK(after >= 100'000);
  CHECK(after < 5'000'000);
}

TEST_CASE("reads of files by the script are recorded while the script runs") {
  const Workspace workspace;
  Execution execution;
  Rules rules;
  rules.read.insist = {{"./a", "BAND.md:1"}, {"./b", "BAND.md:1"}};
  auto record = run::Record::open(rules, kNoMask, execution.reply(), 0);
  REQUIRE(record.ok());
  const std::vector<view::DeclaredMount> none;
  const auto witness = workspace.witness(rules, none, *record);
  execution.watches_files(witness.get());
  execution.starts();
  execution.begin();
  execution.settle();
  workspace.read("a");
  execution.settle();
  CHECK(texts_of(record->ledger().release()) == "read a\n");
  execution.script.sends(report_of(Kind::Ended, 0));
  CHECK(ending_of(execution.end()) == "exited 0");
}

TEST_CASE("if the script view cannot be watched, the script is not started") {
  const Workspace workspace;
  Execution execution;
  Rules rules;
  rules.read.insist = {{"/etc/hostname", "BAND.md:1"}};
  auto record = run::Record::open(rules, kNoMask, execution.reply(), 0);
  REQUIRE(record.ok());
  std::vector<view::DeclaredMount> mounts(1);
  mounts[0].path = "etc/hostname";
  mounts[0].readable = true;
  const auto witness = workspace.witness(rules, mounts, *record);
  execution.watches_files(witness.get());
  const base::Child first = waiting_process();
  std::string ending;
  SUBCASE("because the path does not exist") {
    execution.script.sends(report_of(Kind::Ready), {first.pidfd(), workspace.fd(), workspace.fd()});
    ending = "view: cannot open etc/hostname: No such file or directory";
  }
  SUBCASE("because its root was not sent") {
    execution.script.sends(report_of(Kind::Ready));
    ending = "view: cannot open etc/hostname: Bad file descriptor";
  }
  CHECK(ending_of(execution.run()) == ending);
  CHECK_FALSE(execution.script.is_sent_something());
}

TEST_CASE("if the command view cannot be watched, it does not become ready, and its error is reported") {
  const Workspace workspace;
  Rules rules;
  rules.read.insist = {{"/etc/hostname", "BAND.md:1"}};
  run::ReplyWriter reply;
  auto record = run::Record::open(rules, kNoMask, reply, 0);
  REQUIRE(record.ok());
  std::vector<view::DeclaredMount> mounts(1);
  mounts[0].path = "etc/hostname";
  const auto witness = workspace.witness(rules, mounts, *record);
  const DoorPlace place;
  Recorder recorder;
  PlayedSandbox holder(PlayedSandbox::View::Command);
  run::Commands commands(broker_at(place, recorder, {"gh"}), {{}, nullptr, {}, std::move(holder.sandbox)},
                         witness.get());
  const base::Child first = waiting_process();
  holder.sends(report_of(Kind::Ready), {first.pidfd(), workspace.fd(), workspace.fd()});
  const Status received = commands.on_control_readable();
  REQUIRE_FALSE(received.ok());
  CHECK(received.error().message() == "view: cannot open etc/hostname: No such file or directory");
  CHECK_FALSE(commands.lost());
  CHECK_FALSE(commands.ready());
}
