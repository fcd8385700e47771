// Decides when the script of an execution starts and what ends the execution. supervise() reports the events and
// performs the actions. Pure.
//
// Promises: the first event that ends the execution decides the ending; later events do not change the ending, even if
// the same poll(2) reports them. After Terminate the script has one second to end; then the execution has ended, too.
// The script is sent to band-init once, when view, commands and network are ready, and never after the execution has
// ended. The boost (boosts.h) ends once, kBoostUs after the script's start.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "schemas/core/result.h"
#include "server/evidence/ending.h"

namespace band::run {

struct Course {
  Ending ending = Exited{};
  std::int64_t started_us = 0;  // monotonic; 0: the script never started
  std::int64_t cpu_us = 0;
};

// Events of an execution. Times are base::monotonic_us().
enum class Part { View, Commands, Network };
struct PartReady {
  Part part = Part::View;
};
struct ScriptStarted {};
struct ScriptEnded {
  Ending ending;  // Exited or Killed
  std::int64_t cpu_us = 0;
};
// A part of the sandbox failed, or the process of the part has exited. `killed`: the process has exited, and only the
// kernel can have killed it (memory limit). The ending is Killed if `killed` is set and the script was started,
// otherwise SetupFailed.
struct PartFailed {
  Error error;
  bool killed = false;
};
struct ClientGone {};
struct CancelAsked {
  std::string why;
};
struct Tick {};  // the time next_tick_us() may have passed
using Event = std::variant<PartReady, ScriptStarted, ScriptEnded, PartFailed, ClientGone, CancelAsked, Tick>;

enum class Action { None, StartScript, Terminate, EndBoost };  // Terminate: SIGTERM to the script

class Supervision {
 public:
  static constexpr std::int64_t kBoostUs = 100'000;

  Supervision(std::int64_t max_runtime_ms, std::int64_t now_us);

  Action on(const Event& event, std::int64_t now_us);

  bool ended() const { return ended_; }
  bool stopping() const { return pending_.has_value(); }  // SIGTERM was sent; a cancellation has no effect any more
  bool started() const { return course_.started_us != 0; }
  std::int64_t next_tick_us() const;  // when the next Tick is due: the end of the boost or, if earlier, the deadline
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
  std::int64_t boost_ends_us_ = 0;  // 0: the script has not started, or the boost has ended
  Course course_;
  std::optional<Ending> pending_;  // set when SIGTERM was sent: the ending will be TimedOut or Cancelled
  bool view_ = false, commands_ = false, network_ = false, script_sent_ = false, ended_ = false;
};

}  // namespace band::run
