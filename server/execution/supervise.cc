#include "server/execution/supervise.h"

#include <poll.h>

#include <algorithm>

#include "server/base/io.h"

namespace band::run {
namespace {

enum Watch {
  kControl,
  kOut,
  kErr,
  kReply,
  kCancelled,
  kCommands,
  kDoor,
  kFiles,
  kNetwork,
  kInput,
  kStdin,
  kScript,
  kWatches
};

class Loop {
 public:
  Loop(const Watched& watched, const init::Script& script)
      : on_(watched), script_(script), supervision_(watched.max_runtime_ms, base::monotonic_us()) {
    parts_ready();
  }

  Course run() {
    while (!supervision_.ended()) once();
    return supervision_.course();
  }

 private:
  // One poll(2) and its events. After an event that ends the execution, the other events of the same poll are not
  // processed: they would act on an execution that has ended.
  void once() {
    pollfd events[kWatches];
    wait(events);
    if (events[kOut].revents != 0) on_.out.read_some(on_.reply);
    if (events[kErr].revents != 0) on_.err.read_some(on_.reply);
    if ((events[kReply].revents & POLLOUT) != 0) on_.reply.write_some();
    const auto step = [&](bool due, void (Loop::*act)()) {
      if (due && !supervision_.ended()) (this->*act)();
    };
    step(events[kCommands].revents != 0, &Loop::commands_report);
    step(events[kDoor].revents != 0, &Loop::commands_requests);
    step(events[kFiles].revents != 0, &Loop::files_events);
    step(events[kNetwork].revents != 0, &Loop::network_events);
    if (events[kStdin].revents != 0) on_.input->on_outgoing((events[kStdin].revents & POLLERR) != 0);
    step(events[kInput].revents != 0, &Loop::input_came);
    step(events[kScript].revents != 0, &Loop::continue_script);
    step(events[kControl].revents != 0, &Loop::script_report);
    step((events[kReply].revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0, &Loop::client_gone);
    step(events[kCancelled].revents != 0, &Loop::cancelled);
    on_event(Tick{});
  }

  void wait(pollfd (&events)[kWatches]) const {
    const auto watch = [&](Watch which, int fd, short what) { events[which] = {fd, what, 0}; };
    watch(kControl, on_.sandbox.control(), POLLIN);
    watch(kOut, on_.out.readable(on_.reply), POLLIN);
    watch(kErr, on_.err.readable(on_.reply), POLLIN);
    watch(kReply, client_gone_ ? -1 : on_.reply.socket(),
          static_cast<short>(POLLRDHUP | (on_.reply.wants_to_write() ? POLLOUT : 0)));
    watch(kCancelled, supervision_.stopping() ? -1 : on_.cancellation->event.get(), POLLIN);
    watch(kCommands, on_.commands.control(), POLLIN);
    watch(kDoor, on_.commands.door(), POLLIN);
    watch(kFiles, on_.files != nullptr ? on_.files->fd() : -1, POLLIN);
    watch(kNetwork, on_.network.fd(), POLLIN);
    watch(kInput, on_.input != nullptr ? on_.input->incoming() : -1, POLLIN);
    watch(kStdin, on_.input != nullptr ? on_.input->outgoing() : -1,
          on_.input != nullptr && on_.input->wants_out() ? POLLOUT : 0);  // poll(2) always reports POLLERR: no reader
    watch(kScript, on_.sandbox.unsent_script(), POLLOUT);
    const std::int64_t left_ms = (supervision_.next_tick_us() - base::monotonic_us() + 999) / 1000;
    ::poll(events, kWatches, static_cast<int>(std::clamp<std::int64_t>(left_ms, 0, 60'000)));
  }

  void on_event(const Event& event) {
    switch (supervision_.on(event, base::monotonic_us())) {
      case Action::None:
        return;
      case Action::Terminate:
        return on_.sandbox.terminate();
      case Action::StartScript:
        return check(on_.sandbox.send_script(script_));
      case Action::EndBoost:
        return check(on_.boost.end());
    }
  }

  void check(const Status& status) {
    if (!status.ok()) on_event(PartFailed{status.error()});
  }

  void continue_script() { check(on_.sandbox.continue_script()); }

  void parts_ready() {
    if (on_.commands.ready()) on_event(PartReady{Part::Commands});
    if (on_.network.ready()) on_event(PartReady{Part::Network});
  }

  void script_report() {
    auto report = on_.sandbox.next_report();
    if (!report.ok()) return on_event(PartFailed{report.error(), on_.sandbox.gone()});
    using Kind = init::Report::Kind;
    switch (static_cast<Kind>(report->kind)) {
      case Kind::Ready:
        return view_ready();
      case Kind::Started:
        return on_event(ScriptStarted{});
      case Kind::Failed:
        return on_event(PartFailed{layer_error(report->layer, report->text, static_cast<int>(report->code))});
      case Kind::Ended: {
        const int code = static_cast<int>(report->code);
        const Ending how = report->signalled != 0 ? Ending(Killed{code}) : Ending(Exited{code});
        return on_event(ScriptEnded{how, static_cast<std::int64_t>(report->cpu_us)});
      }
      case Kind::CommandEnded:
        return on_event(
            PartFailed{layer_error("run", "protocol error: unexpected CommandEnded report of the script view", 0)});
    }
  }

  void view_ready() {
    const base::Fd root = on_.sandbox.take_root();
    const Status entered = on_.files != nullptr ? on_.files->enter(root.get()) : done();
    if (!entered.ok()) return on_event(PartFailed{entered.error()});
    on_event(PartReady{Part::View});
  }

  // A holder that exits without a report while the script runs was killed by the kernel at the memory limit.
  void commands_report() {
    const Status status = on_.commands.on_control_readable();
    if (!status.ok()) return on_event(PartFailed{status.error(), on_.commands.lost()});
    parts_ready();
  }

  void commands_requests() { on_.commands.on_door_readable(); }

  void files_events() {
    if (const auto read = on_.files->on_readable(); !read.ok()) on_event(PartFailed{read.error()});
  }

  // EOF ends the execution: no traffic may leave without a record.
  void network_events() {
    if (const Status read = on_.network.on_readable(on_.record); !read.ok()) return on_event(PartFailed{read.error()});
    parts_ready();
  }

  void input_came() {
    if (const Status came = on_.input->on_incoming(); !came.ok()) on_event(PartFailed{came.error()});
  }

  void client_gone() {
    client_gone_ = true;     // poll(2) would report it again each time
    on_.reply.write_some();  // drops what waits for the client, so that the script can write on
    on_event(ClientGone{});
  }
  void cancelled() { on_event(CancelAsked{on_.cancellation->why()}); }

  const Watched& on_;
  const init::Script& script_;
  Supervision supervision_;
  bool client_gone_ = false;
};

}  // namespace

Course supervise(const Watched& watched, const init::Script& script) { return Loop(watched, script).run(); }

}  // namespace band::run
