// Handles SIGINT, SIGTERM and SIGHUP while an Interrupt exists: the first of these signals does not end the process.
// Instead, a thread of the Interrupt calls a function.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "client/platform/pipe.h"

namespace band::client {

// Sets a function for the second signal, which ends the process: the signal handler calls `act` before the process
// ends. If `act` is null, it calls no function. `act` may call only async-signal-safe functions (signal-safety(7)).
void before_sudden_end(void (*act)());

// Only one object may exist at a time. After the first signal, a thread calls `on_signal` every 50 ms until the object
// is destroyed. One call is not enough if `on_signal` closes a connection to the server: the connection may be opened
// after the first call. A second signal ends the process immediately, with the exit status 128 + its number. A signal
// that this process ignored before stays ignored.
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
