// What a slot does between two executions: decisions alone, apart from the waiting. Pure.
//
// Promises: the token that held the slot is released once, when everything of its execution is reaped or the server
// gives up waiting for that, and before anything else is done. The slot serves again only when all of the execution is
// dead and, if it had a network, its network namespace is a new one. A failed renewal is tried again after a pause,
// until the server stops. A stopping server waits for what is dying for kPatienceUs, and for no pause.
#pragma once

#include <chrono>
#include <cstdint>
#include <variant>

namespace band::run {

class Recovery {
 public:
  static constexpr std::int64_t kPatienceUs = 8'000'000;
  static constexpr std::chrono::milliseconds kPause{1'000};

  // `dying`: processes of the execution were killed and are not reaped yet.
  Recovery(bool dying, bool had_network) : dying_(dying), had_network_(had_network) {}

  enum class Action {
    AwaitDeath,    // for a while; then Awaited
    Abandon,       // what is dying is the kernel's; then Abandoned
    ReleaseToken,  // then Released
    RenewNetwork,  // then Renewed
    Pause,         // until the time for another try, or the server stops; then Paused
    Serve,         // the end: the slot takes executions
    Leave,         // the end: it never will
  };
  struct Awaited {
    bool gone = false;
    bool stopping = false;        // the server was told to stop,
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
  // What follows the action before. Times are base::monotonic_us().
  Action on(const Event& event, std::int64_t now_us);

  // Callers are told how many slots there are: one that waits is out of service.
  bool in_service() const { return !dying_ && !broken_; }

 private:
  bool dying_, had_network_;
  bool abandoned_ = false, broken_ = false;
};

}  // namespace band::run
