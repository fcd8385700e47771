#include "server/run/supervise.h"

#include <poll.h>

#include <algorithm>
#include <optional>

#include "server/base/io.h"

namespace band::run {
namespace {

constexpr std::int64_t kSetupUs = 20'000'000;  // a loaded machine may take seconds; a stuck one is given up
constexpr std::int64_t kGraceUs = 1'000'000;   // between SIGTERM and SIGKILL (design section 10)

class Supervision {
 public:
  Supervision(const Watched& watched, const init::Plan& plan)
      : on_(watched), plan_(plan), deadline_us_(base::monotonic_us() + kSetupUs) {}

  Course run() {
    while (!ended_) turn();
    return course_;
  }

 private:
  void end(Ending ending) {
    course_.ending = pending_ ? *pending_ : std::move(ending);
    ended_ = true;
  }

  // One wait and what came of it.
  void turn() {
    pollfd events[9] = {{on_.sandbox.control(), POLLIN, 0},
                        {on_.out.fd(), POLLIN, 0},
                        {on_.err.fd(), POLLIN, 0},
                        {on_.reply.socket(), POLLRDHUP, 0},
                        {pending_ ? -1 : on_.cancellation->event.get(), POLLIN, 0},
                        {on_.commands.control(), POLLIN, 0},
                        {on_.commands.door(), POLLIN, 0},
                        {on_.files != nullptr ? on_.files->fd() : -1, POLLIN, 0},
                        {on_.network.fd(), POLLIN, 0}};
    if (on_.reply.wants_to_write()) events[3].events |= POLLOUT;
    const std::int64_t left_ms = (deadline_us_ - base::monotonic_us() + 999) / 1000;
    ::poll(events, 9, static_cast<int>(std::clamp<std::int64_t>(left_ms, 0, 60'000)));
    if (events[1].revents != 0) on_.out.read_some(on_.reply);
    if (events[2].revents != 0) on_.err.read_some(on_.reply);
    if ((events[3].revents & POLLOUT) != 0) on_.reply.write_some();
    if (events[5].revents != 0) heard_commands();
    if (events[6].revents != 0) on_.commands.turn();
    if (events[7].revents != 0) hear_files();
    if (events[8].revents != 0) hear_network();
    if (events[0].revents != 0) return heard();
    if ((events[3].revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) return end(Cancelled{"the client went away"});
    if (events[4].revents != 0 && !pending_) return stop(Cancelled{on_.cancellation->why});
    if (base::monotonic_us() >= deadline_us_) late();
  }

  // SIGTERM now; the deadline of the grace period ends it for good.
  void stop(Ending why) {
    if (course_.started_us == 0) return end(std::move(why));
    pending_ = std::move(why);
    on_.sandbox.terminate();
    deadline_us_ = base::monotonic_us() + kGraceUs;
  }

  void late() {
    if (pending_) return end(*pending_);
    if (course_.started_us == 0) return end(SetupFailed{layer_error("run", "the sandbox did not start in time", 0)});
    stop(TimedOut{});
  }

  void heard() {
    auto report = on_.sandbox.next_report();
    if (!report.ok()) return silent(report.error());
    using Kind = init::Report::Kind;
    switch (static_cast<Kind>(report->kind)) {
      case Kind::Ready:
        return ready();
      case Kind::Started:
        if (course_.started_us != 0) return;
        course_.started_us = base::monotonic_us();
        deadline_us_ = course_.started_us + on_.max_runtime_ms * 1000;
        return;
      case Kind::Failed:
        return end(SetupFailed{layer_error(report->layer, report->text, static_cast<int>(report->code))});
      case Kind::Ended:
        course_.cpu_us = static_cast<std::int64_t>(report->cpu_us);
        if (report->signalled != 0) return end(Killed{static_cast<int>(report->code)});
        return end(Exited{static_cast<int>(report->code)});
      case Kind::CommandEnded:
        return end(SetupFailed{layer_error("run", "band-init spoke of a command in the script's view", 0)});
    }
  }

  void ready() {
    const base::Fd root = on_.sandbox.take_root();
    const Status entered = on_.files != nullptr ? on_.files->enter(root.get()) : done();
    if (!entered.ok()) return end(SetupFailed{entered.error()});
    waits_ = true;
    begin();
  }

  void hear_files() {
    if (const auto heard = on_.files->turn(); !heard.ok()) end(SetupFailed{heard.error()});
  }

  // Its end is the end of the execution: nothing is to leave that nobody sees.
  void hear_network() {
    if (const Status heard = on_.network.heard(on_.record); !heard.ok()) return end(SetupFailed{heard.error()});
    begin();
  }

  // The script begins when commands and network are there: it never runs with less than its band declares.
  void begin() {
    if (!waits_ || !on_.commands.ready() || !on_.network.ready()) return;
    waits_ = false;
    if (const Status sent = on_.sandbox.send_plan(plan_); !sent.ok()) end(SetupFailed{sent.error()});
  }

  // A holder that is gone while the script runs was killed by the kernel, for want of memory.
  void heard_commands() {
    const Status status = on_.commands.heard();
    if (status.ok()) return begin();
    if (course_.started_us != 0 && on_.commands.lost()) return end(Killed{9});
    end(SetupFailed{status.error()});
  }

  // band-init is gone. Before the script that is bubblewrap's failure, and its reason is on stderr; after, only the
  // kernel can have done it (the memory limit).
  void silent(const Error& error) {
    if (course_.started_us != 0) return end(Killed{9});
    on_.err.read_some(on_.reply);
    Error failed = error;
    if (!on_.err.kept().empty()) failed = layer_error("view", on_.err.kept().substr(0, 500), 0);
    end(SetupFailed{failed});
  }

  const Watched& on_;
  const init::Plan& plan_;
  std::int64_t deadline_us_;
  Course course_;
  std::optional<Ending> pending_;  // why it was told to stop
  bool waits_ = false;             // band-init waits for the plan
  bool ended_ = false;
};

}  // namespace

Course supervise(const Watched& watched, const init::Plan& plan) { return Supervision(watched, plan).run(); }

}  // namespace band::run
