// SIGINT, SIGTERM and SIGHUP while something runs: a function is called, from an ordinary thread, and the program ends
// by itself.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "client/platform/pipe.h"

namespace band::client {

// `act` is called before a second signal ends the process; null: nothing is. It may call what is safe in a handler
// (signal-safety(7)).
void before_sudden_end(void (*act)());

// A signal that is ignored stays ignored. One at a time. `on_signal` may be called again, until the object is gone:
// whatever it closes may just be opening. A second signal ends the process at once.
class Interrupt {
 public:
  explicit Interrupt(std::function<void()> on_signal);
  ~Interrupt();  // the handlers that were there before are back
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  int signal() const { return signal_.load(); }  // 0: none came

 private:
  void watch();

  std::function<void()> on_signal_;
  std::atomic<int> signal_{0};
  std::atomic<bool> end_{false};
  Pipe pipe_;
  std::thread thread_;
};

}  // namespace band::client
