// Decides what a slot does between two executions; the caller does the waiting. Pure.
//
// Promises: the token that held the slot is released once, before any other step: when all processes of its execution
// are reaped, or when a stopping server no longer waits for that. The slot serves again only when the execution is
// completely dead and, if it had a network, after it has moved into a new network namespace. A failed renewal is
// retried after a pause, until the server stops. A stopping server waits kPatienceUs for dying processes and skips
// pauses.
#pragma once

#include <chrono>
#include <cstdint>
#include <variant>

namespace band::run {

class Recovery {
 public:
  static constexpr std::int64_t kPatienceUs = 8'000'000;
  static constexpr std::chrono::milliseconds kPause{1'000};

  // `dying`: processes of the execution were killed and not reaped yet.
  Recovery(bool dying, bool had_network) : dying_(dying), had_network_(had_network) {}

  enum class Action {
    AwaitDeath,    // wait a limited time. Next event: Awaited
    Abandon,       // stop waiting; the kernel ends the processes. Next event: Abandoned
    ReleaseToken,  // next event: Released
    RenewNetwork,  // next event: Renewed
    Pause,         // until the next attempt is due or the server stops. Next event: Paused
    Serve,         // the end: the slot accepts executions
    Leave,         // the end: the slot never serves again
  };
  struct Awaited {
    bool gone = false;
    bool stopping = false;        // the server began to stop
    std::int64_t stopped_us = 0;  // at this time
  };
  struct Abandoned {};
  struct Released {};
  struct Renewed {
    bool ok = false;
  };
  struct Paused {
    bool stopping = false;
  };
  using Event = std::variant<Awaited, Abandoned, Released, Renewed, Paused>;

  Action begin() const { return dying_ ? Action::AwaitDeath : Action::ReleaseToken; }
  // Returns the action after `event`, the result of the previous action. Times are base::monotonic_us().
  Action on(const Event& event, std::int64_t now_us);

  // A slot that waits counts as out of service in the number of slots that callers see.
  bool in_service() const { return !dying_ && !broken_; }

 private:
  bool dying_, had_network_;
  bool abandoned_ = false, broken_ = false;
};

}  // namespace band::run
