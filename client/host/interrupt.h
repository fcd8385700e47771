// Handles SIGINT, SIGTERM and SIGHUP while an Interrupt exists: the first of these signals does not end the process;
// instead, a thread calls a function.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "client/platform/pipe.h"

namespace band::client {

// Sets the function that is called when a second signal is received, before this signal ends the process. If `act` is
// null, no function is called. `act` is called in the signal handler, and may call only async-signal-safe functions
// (signal-safety(7)).
void before_sudden_end(void (*act)());

// Only one object may exist at a time. A signal that this process ignored before stays ignored. After the first signal,
// the function is called every 50 ms until the object is destroyed, because a connection that it has to close can be
// opened after its first call. A second signal ends the process immediately.
class Interrupt {
 public:
  explicit Interrupt(std::function<void()> on_signal);
  ~Interrupt();  // restores the previous handlers
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  int signal() const { return signal_.load(); }  // the first signal that was received; 0: none

 private:
  void watch();

  std::function<void()> on_signal_;
  std::atomic<int> signal_{0};
  std::atomic<bool> end_{false};
  Pipe pipe_;
  std::thread thread_;
};

}  // namespace band::client
