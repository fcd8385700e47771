#include "server/execution/supervision.h"

#include <algorithm>
#include <utility>

#include "server/base/overloaded.h"

namespace band::run {
namespace {

constexpr std::int64_t kSetupUs = 20'000'000;  // timeout of the set-up, which takes seconds on a loaded machine
constexpr std::int64_t kGraceUs = 1'000'000;   // between SIGTERM and SIGKILL (docs/architecture.md 6.8)

}  // namespace

Supervision::Supervision(std::int64_t max_runtime_ms, std::int64_t now_us)
    : max_runtime_us_(max_runtime_ms * 1000), deadline_us_(now_us + kSetupUs) {}

Action Supervision::on(const Event& event, std::int64_t now_us) {
  if (ended_) return Action::None;
  return std::visit(base::Overloaded{
                        [&](const PartReady& ready_part) { return ready(ready_part.part); },
                        [&](const ScriptStarted&) { return begun(now_us); },
                        [&](const ScriptEnded& script) {
                          course_.cpu_us = script.cpu_us;
                          return end(script.ending);
                        },
                        [&](const PartFailed& failed) {
                          if (failed.killed && started()) return end(Killed{9});
                          return end(SetupFailed{failed.error});
                        },
                        [&](const ClientGone&) { return stop(Cancelled{"the client disconnected"}, now_us); },
                        [&](const CancelAsked& asked) { return stop(Cancelled{asked.why}, now_us); },
                        [&](const Tick&) { return tick(now_us); },
                    },
                    event);
}

Action Supervision::end(Ending ending) {
  course_.ending = pending_ ? *pending_ : std::move(ending);
  ended_ = true;
  return Action::None;
}

std::int64_t Supervision::next_tick_us() const {
  return boost_ends_us_ != 0 ? std::min(boost_ends_us_, deadline_us_) : deadline_us_;
}

Action Supervision::tick(std::int64_t now_us) {
  if (now_us >= deadline_us_) return late(now_us);
  if (boost_ends_us_ == 0 || now_us < boost_ends_us_) return Action::None;
  boost_ends_us_ = 0;
  return Action::EndBoost;
}

// Sends SIGTERM now; the execution ends at the deadline of the grace period.
Action Supervision::stop(Ending why, std::int64_t now_us) {
  if (pending_) return Action::None;
  if (!started()) return end(std::move(why));
  pending_ = std::move(why);
  deadline_us_ = now_us + kGraceUs;
  return Action::Terminate;
}

Action Supervision::late(std::int64_t now_us) {
  if (pending_) return end(*pending_);
  if (!started()) return end(SetupFailed{layer_error("run", "the sandbox did not start within 20 s", 0)});
  return stop(TimedOut{}, now_us);
}

// The script starts when view, commands and network are ready: it never runs with less than its band declares.
Action Supervision::ready(Part part) {
  (part == Part::View ? view_ : part == Part::Commands ? commands_ : network_) = true;
  if (script_sent_ || !view_ || !commands_ || !network_) return Action::None;
  script_sent_ = true;
  return Action::StartScript;
}

// A second Started report is ignored: a compromised band-init could otherwise restart the time limit.
Action Supervision::begun(std::int64_t now_us) {
  if (started()) return Action::None;
  course_.started_us = now_us;
  deadline_us_ = now_us + max_runtime_us_;
  boost_ends_us_ = now_us + kBoostUs;
  return Action::None;
}

}  // namespace band::run
