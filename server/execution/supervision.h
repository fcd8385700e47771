// Decides when the script of an execution starts and what ends the execution. supervise() passes each Event to
// Supervision::on(), and performs the Action that on() returns. Pure.
//
// Promises: the first event that ends the execution decides the ending; later events do not change the ending, even if
// the same poll(2) reports them. The time limit, a cancellation and the disconnect of the client do not end a running
// script immediately: on() returns Action::Terminate, and the script has one second to exit. The ending is then
// TimedOut or Cancelled, even if the script exits within this second. If the script is still running after this second,
// the execution ends, and the caller of supervise() kills the script. Action::StartScript is returned at most once,
// when the script view, the commands and the network are ready, and never after the execution has ended.
// Action::EndBoost is returned at most once, kBoostUs after the script's start (boosts.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "schemas/core/result.h"
#include "server/evidence/ending.h"

namespace band::run {

// The result of supervise().
struct Course {
  Ending ending = Exited{};
  std::int64_t started_us = 0;  // when the script started (base::monotonic_us()); 0: the script never started
  std::int64_t cpu_us = 0;      // CPU time of the script (init::Report::cpu_us)
};

// Events of an execution. Times are base::monotonic_us().
enum class Part { View, Commands, Network };  // View: the script view
struct PartReady {
  Part part = Part::View;
};
struct ScriptStarted {};
struct ScriptEnded {
  Ending ending;  // Exited or Killed
  std::int64_t cpu_us = 0;
};
// A part of the sandbox failed, or the process of the part has exited. `killed`: the process has exited without a
// report. This usually means that the kernel killed it at the execution's memory limit. If `killed` is true and the
// script was started, the ending is Killed. Otherwise the ending is SetupFailed.
struct PartFailed {
  Error error;
  bool killed = false;
};
struct ClientGone {};
struct CancelAsked {
  std::string why;
};
struct Tick {};  // sent after each poll(2), because the time next_tick_us() may have passed
using Event = std::variant<PartReady, ScriptStarted, ScriptEnded, PartFailed, ClientGone, CancelAsked, Tick>;

// What supervise() must do. Terminate: send SIGTERM to the script.
enum class Action { None, StartScript, Terminate, EndBoost };

class Supervision {
 public:
  static constexpr std::int64_t kBoostUs = 100'000;

  // `max_runtime_ms`: the time limit of the script, from its start. Before the start, the set-up of the sandbox has a
  // limit of 20 s; after this time the ending is SetupFailed.
  Supervision(std::int64_t max_runtime_ms, std::int64_t now_us);

  Action on(const Event& event, std::int64_t now_us);

  bool ended() const { return ended_; }
  // Returns true when on() has returned Terminate. CancelAsked and ClientGone then have no effect any more.
  bool stopping() const { return pending_.has_value(); }
  bool started() const { return course_.started_us != 0; }
  // Returns the time at which the next Tick is due: the end of the boost or the current deadline, whichever is earlier.
  // The deadline is 20 s after the construction; after the script's start, the end of its time limit; after Terminate,
  // one second later.
  std::int64_t next_tick_us() const;
  const Course& course() const { return course_; }

 private:
  Action end(Ending ending);
  Action stop(Ending why, std::int64_t now_us);
  Action tick(std::int64_t now_us);
  Action late(std::int64_t now_us);
  Action ready(Part part);
  Action begun(std::int64_t now_us);

  const std::int64_t max_runtime_us_;
  std::int64_t deadline_us_;
  std::int64_t boost_ends_us_ = 0;  // 0: the script has not started, or EndBoost was returned
  Course course_;
  std::optional<Ending> pending_;  // set when SIGTERM was sent: the ending will be TimedOut or Cancelled
  bool view_ = false, commands_ = false, network_ = false, script_sent_ = false, ended_ = false;
};

}  // namespace band::run
