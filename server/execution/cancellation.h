// Cancels an execution: any thread can set the reason and signal an eventfd. The execution's loop polls this eventfd.
#pragma once

#include <sys/eventfd.h>

#include <atomic>
#include <string>

#include "server/base/fd.h"

namespace band::run {

class Cancellation {
 public:
  base::Fd event;  // eventfd(2), made by the owner of this object; readable when the execution is cancelled

  // Cancels the execution. `reason` becomes part of the answer (Cancelled::why). A second call does nothing. The caller
  // must have locked the engine's mutex.
  void cancel(const std::string& reason) {
    if (cancelled_.load(std::memory_order_relaxed)) return;
    why_ = reason;
    cancelled_.store(true, std::memory_order_release);
    ::eventfd_write(event.get(), 1);
  }
  // Returns the reason once `event` is readable, and "" before that.
  std::string why() const { return cancelled_.load(std::memory_order_acquire) ? why_ : std::string(); }

 private:
  std::string why_;  // written once, before cancelled_ becomes true
  std::atomic<bool> cancelled_ = false;
};

}  // namespace band::run
