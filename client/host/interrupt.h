// Handles SIGINT, SIGTERM and SIGHUP while band works: a thread calls a function instead of ending the process.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "client/platform/pipe.h"

namespace band::client {

// `act` is called before a second signal ends the process; null: nothing is called. It runs in the signal handler and
// may call only async-signal-safe functions (signal-safety(7)).
void before_sudden_end(void (*act)());

// Only one object may exist at a time. Signals that were ignored stay ignored. After a signal, `on_signal` is called
// every 50 ms until the object is destroyed, because what it has to close may not be open at the first call. A second
// signal ends the process immediately.
class Interrupt {
 public:
  explicit Interrupt(std::function<void()> on_signal);
  ~Interrupt();  // restores the previous handlers
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  int signal() const { return signal_.load(); }  // 0: none was received

 private:
  void watch();

  std::function<void()> on_signal_;
  std::atomic<int> signal_{0};
  std::atomic<bool> end_{false};
  Pipe pipe_;
  std::thread thread_;
};

}  // namespace band::client
