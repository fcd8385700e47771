// The commands of an execution. The test plays the holder and the shims.
#include "server/execution/commands.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <optional>

#include "tests/broker_at.h"
#include "tests/door_place.h"
#include "tests/played_sandbox.h"

using namespace band;
using namespace band::test;

namespace {

// Records one line for each report.
class Recorder : public broker::Witness {
 public:
  std::vector<std::string> masked(const std::vector<std::string>& argv) const override { return argv; }
  void ended(const broker::Ended& command) override {
    text += command.argv[0] +
            (!command.unstarted.empty() ? " did not start: " + command.unstarted
             : command.status           ? " exited " + std::to_string(*command.status)
             : command.signal           ? " died of " + std::to_string(*command.signal)
                                        : " was killed") +
            "\n";
  }
  void refused(const std::vector<std::string>& argv, const Decision&) override { text += argv[0] + " refused\n"; }
  void not_passed(const std::string&, const broker::NotPassed&) override {}
  void malformed(const Error&) override { text += "malformed\n"; }

  std::string text;
};

class Holder {
 public:
  Holder() : commands(broker_at(place, recorder, {"gh"}), {{}, nullptr, {}, std::move(init.sandbox)}, nullptr) {}

  ~Holder() { dies(); }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  // Processes the next report and returns "" or the error's message.
  std::string error_after() {
    const Status status = commands.on_control_readable();
    return status.ok() ? "" : status.error().message();
  }
  std::string error_after(const init::Report& report, const std::vector<int>& fds = {}) {
    init.sends(report, fds);
    return error_after();
  }
  void starts() {
    const base::Fd root(::open("/", O_PATH | O_CLOEXEC));
    const base::Fd mounts(::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC));
    REQUIRE(error_after(report_of(Kind::Ready), {first.pidfd(), root.get(), mounts.get()}).empty());
    REQUIRE(error_after(report_of(Kind::Started)).empty());
    REQUIRE(commands.ready());
  }
  base::Fd asks() {
    base::Fd shim = place.ask(shim_request());
    turn();
    return shim;
  }
  void turn() {
    for (int i = 0; i < 3; ++i) commands.on_door_readable();
  }
  // The id of the next order; nullopt when there is none.
  std::optional<std::uint64_t> order() {
    if (!init.is_sent_something()) return std::nullopt;
    auto message = base::receive(init.control.get(), sizeof(init::StartCommand), base::kMostMessageFds);
    REQUIRE(message.ok());
    REQUIRE(message->text.size() == sizeof(init::StartCommand));
    CHECK(message->fds.size() == 2);  // the shim's connection and the command
    init::StartCommand order;
    std::memcpy(&order, message->text.data(), sizeof order);
    return order.id;
  }
  std::uint64_t starts_command() {
    shims.push_back(asks());
    const auto id = order();
    REQUIRE(id);
    return *id;
  }
  void dies() {
    init.control.reset();
    init.out.reset();
    init.err.reset();
  }

  DoorPlace place;
  Recorder recorder;
  std::vector<base::Fd> shims;
  const base::Child first = waiting_process();
  PlayedSandbox init{PlayedSandbox::View::Command};
  run::Commands commands;
};

init::Report ended(std::uint64_t id, std::uint32_t code) {
  init::Report report = report_of(Kind::CommandEnded, code);
  report.id = id;
  return report;
}

}  // namespace

TEST_CASE("without a declared command there is no command view, and a shim's command is refused immediately") {
  const DoorPlace place;
  Recorder recorder;
  run::Commands commands(broker_at(place, recorder, {}), {}, nullptr);
  CHECK(commands.ready());
  CHECK(commands.control() == -1);
  const base::Fd shim = place.ask(shim_request());
  commands.on_door_readable();
  CHECK(recorder.text == "gh refused\n");
  CHECK(is_readable(shim));
  CHECK(commands.end(0));
}

TEST_CASE("commands are ready when their holder has started") {
  Holder holder;
  CHECK(holder.error_after(report_of(Kind::Ready)).empty());
  CHECK_FALSE(holder.commands.ready());
  CHECK(holder.error_after(report_of(Kind::Started)).empty());
  CHECK(holder.commands.ready());
  CHECK_FALSE(holder.commands.lost());
}

TEST_CASE("a request before the holder is ready waits, and its command starts when it is") {
  Holder holder;
  const base::Fd early = holder.asks();
  CHECK(holder.error_after(report_of(Kind::Ready)).empty());
  const base::Fd late = holder.asks();
  CHECK_FALSE(holder.init.is_sent_something());
  CHECK_FALSE(is_readable(early));
  CHECK(holder.error_after(report_of(Kind::Started)).empty());
  holder.turn();
  CHECK(holder.order() == 1);
  CHECK(holder.order() == 2);
  CHECK(holder.recorder.text.empty());
}

TEST_CASE("a holder that exits before it is ready and without a report fails the execution with this reason") {
  Holder holder;
  holder.dies();
  CHECK(holder.error_after() == "run: band-init ended without a report");
  CHECK(holder.commands.lost());
}

TEST_CASE("a holder that exits while commands run is lost, and the stderr of a command is not the reason") {
  Holder holder;
  holder.starts();
  holder.init.complains("something");
  SUBCASE("all orders were read") {
    holder.starts_command();
    holder.dies();
    CHECK(holder.error_after() == "run: band-init ended without a report");
  }
  SUBCASE("an order was not read") {
    const base::Fd shim = holder.asks();
    holder.dies();
    CHECK(holder.error_after() == "channel: cannot receive: Connection reset by peer");
  }
  CHECK(holder.commands.lost());
}

TEST_CASE("a malformed report is an error, and its sender is not lost") {
  const std::string unknown = "run: band-init sent an unknown report";
  struct {
    std::string bytes;
    std::size_t descriptors;
    std::string error;
  } const none[] = {{bytes_of(report_of(Kind(0))), 0, unknown},
                    {bytes_of(report_of(Kind(6))), 0, unknown},
                    {"abc", 0, "run: band-init sent an incomplete report"},
                    {bytes_of(report_of(Kind::Ready)), base::kMaxMessageFds + 1,
                     "channel: cannot receive: the message is too large or has too many descriptors, or this process "
                     "cannot open more: Message too long"}};
  for (const auto& report : none)
    for (const bool running : {false, true}) {
      CAPTURE(report.error);
      CAPTURE(running);
      Holder holder;
      if (running) holder.starts();
      holder.init.complains("something");
      const std::vector<int> attached(report.descriptors, holder.init.err.get());
      REQUIRE(base::send(holder.init.control.get(), report.bytes, attached).ok());
      CHECK(holder.error_after() == report.error);
      CHECK_FALSE(holder.commands.lost());
    }
}

TEST_CASE("an Ended report or a Failed report is an error, and its sender is not lost") {
  Holder holder;
  SUBCASE("Ended, which only the script view may send") {
    CHECK(holder.error_after(report_of(Kind::Ended)) ==
          "run: protocol error: unexpected Ended report from band-init of the command view");
  }
  SUBCASE("Failed, which names a layer") {
    init::Report failed = report_of(Kind::Failed, ENOSPC);
    std::strcpy(failed.layer, "landlock");
    std::strcpy(failed.text, "restrict");
    CHECK(holder.error_after(failed) == "landlock: restrict: No space left on device");
  }
  CHECK_FALSE(holder.commands.lost());
  CHECK_FALSE(holder.commands.ready());
}

TEST_CASE("the end of a command is reported once; a second report, and one of an unknown command, are ignored") {
  Holder holder;
  holder.starts();
  const std::uint64_t first = holder.starts_command(), second = holder.starts_command();
  CHECK(holder.error_after(ended(second, 3)).empty());
  CHECK(holder.recorder.text == "gh exited 3\n");
  CHECK(holder.error_after(ended(second, 0)).empty());
  CHECK(holder.error_after(ended(77, 0)).empty());
  CHECK(holder.recorder.text == "gh exited 3\n");
  init::Report died = ended(first, 9);
  died.signalled = 1;
  CHECK(holder.error_after(died).empty());
  CHECK(holder.recorder.text == "gh exited 3\ngh died of 9\n");
  holder.dies();
  CHECK(holder.commands.end(1'000));
  CHECK(holder.recorder.text == "gh exited 3\ngh died of 9\n");
}

TEST_CASE("at the end the reports of wardens are processed, and commands without a report count as killed") {
  Holder holder;
  holder.starts();
  const std::uint64_t first = holder.starts_command();
  (void)holder.starts_command();
  init::Report unstarted = ended(holder.starts_command(), 0);
  std::strcpy(unstarted.text, "no memory");
  holder.init.sends(ended(first, 0));
  holder.init.sends(report_of(Kind::Started));  // ignored at this point
  holder.init.sends(unstarted);
  holder.dies();
  CHECK(holder.commands.end(1'000));
  CHECK(holder.recorder.text == "gh exited 0\ngh did not start: no memory\ngh was killed\n");
}

TEST_CASE("the last reports of a lost holder are processed at the end, too") {
  Holder holder;
  holder.starts();
  const std::uint64_t id = holder.starts_command();
  holder.init.sends(ended(id, 0));
  holder.dies();
  CHECK(holder.error_after().empty());
  CHECK(holder.error_after() == "run: band-init ended without a report");
  CHECK(holder.recorder.text == "gh exited 0\n");
  CHECK(holder.commands.end(1'000));
  CHECK(holder.recorder.text == "gh exited 0\n");
}

TEST_CASE("the end kills the holder by the pidfd of its first Ready report, and waits until it has exited") {
  base::Child first = waiting_process(), second = waiting_process();
  Holder holder;
  const base::Fd root(::open("/", O_PATH | O_CLOEXEC));
  const base::Fd mounts(::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC));
  const init::Report ready = report_of(Kind::Ready);
  SUBCASE("the report has been read") {
    REQUIRE(holder.error_after(ready, {first.pidfd(), root.get(), mounts.get()}).empty());
    REQUIRE(holder.error_after(ready, {second.pidfd(), root.get(), mounts.get()}).empty());
  }
  SUBCASE("the report has not been read") { holder.init.sends(ready, {first.pidfd(), root.get(), mounts.get()}); }
  holder.dies();
  CHECK(holder.commands.end(5'000));
  CHECK_FALSE(second.wait(0));
  const auto exit = first.wait(0);
  REQUIRE(exit);
  CHECK(exit->signalled);
  CHECK(exit->code == SIGKILL);
}

TEST_CASE("when the end takes too long, the caller can take the view, and its commands count as killed") {
  Holder holder;
  // Without a pidfd only EOF shows that the holder has exited.
  REQUIRE(holder.error_after(report_of(Kind::Ready)).empty());
  REQUIRE(holder.error_after(report_of(Kind::Started)).empty());
  const std::uint64_t id = holder.starts_command();
  CHECK_FALSE(holder.commands.end(20));
  CHECK(holder.recorder.text == "gh was killed\n");
  holder.init.sends(ended(id, 0));
  run::CommandView view = holder.commands.take_view();
  run::Sandbox& left = *view.holder;
  CHECK_FALSE(left.end(0));
  CHECK(holder.commands.control() == -1);
  CHECK(holder.commands.end(0));
  CHECK(holder.recorder.text == "gh was killed\n");
  holder.dies();
  CHECK(left.end(5'000));
}
