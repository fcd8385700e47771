// Decides what a slot (the place for one execution at a time, with a thread and a network namespace of its own) does
// between two executions. The caller carries out each action. Pure.
//
// Promises: the number of slots that one token occupies is limited (Queue::Bounds::held). After an execution, the slot
// still counts as occupied by the execution's token until all processes of the execution are reaped, or until a
// stopping server no longer waits for them. The action ReleaseToken then ends this; it is returned exactly once, before
// the network is renewed. The slot serves again only when no process of the execution is left. If the execution may
// have left traces in the network namespace (`had_network`), the slot's thread must also have moved into a new network
// namespace. A failed renewal of the network is retried after a pause, until the server stops. A stopping server waits
// at most kDeathTimeoutUs for dying processes, and does not pause.
#pragma once

#include <chrono>
#include <cstdint>
#include <variant>

namespace band::run {

class Recovery {
 public:
  static constexpr std::int64_t kDeathTimeoutUs = 8'000'000;  // from the beginning of the server's stop
  static constexpr std::chrono::milliseconds kPause{1'000};

  // `dying`: processes of the execution have been killed and are not yet reaped. `had_network`: the slot's network
  // namespace may have traces of connections (Network::left_traces() in server/execution/network.h).
  Recovery(bool dying, bool had_network) : dying_(dying), had_network_(had_network) {}

  enum class Action {
    AwaitDeath,    // wait a limited time until all processes are reaped. Next event: Awaited
    Abandon,       // stop waiting; the kernel ends the processes later. Next event: Abandoned
    ReleaseToken,  // the slot no longer counts as occupied by the token. Next event: Released
    RenewNetwork,  // move the slot's thread into a new network namespace. Next event: Renewed
    Pause,         // wait kPause, or until the server stops. Next event: Paused
    Serve,         // the end: the slot accepts executions
    Leave,         // the end: the slot never serves again
  };
  struct Awaited {
    bool gone = false;            // all processes are reaped
    bool stopping = false;        // the server is stopping
    std::int64_t stopped_us = 0;  // when the server began to stop, a time of base::monotonic_us()
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
  // Returns the action that follows `event`, the result of the previous action. `now_us`: base::monotonic_us().
  Action on(const Event& event, std::int64_t now_us);

  // Returns false while the slot waits for processes or for a network namespace. GET /v1/health reports such a slot as
  // "dying".
  bool in_service() const { return !dying_ && !broken_; }

 private:
  bool dying_, had_network_;
  bool abandoned_ = false, broken_ = false;
};

}  // namespace band::run
