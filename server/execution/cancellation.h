// "End this execution", told from any thread, heard in its loop.
#pragma once

#include <sys/eventfd.h>

#include <string>

#include "server/base/fd.h"

namespace band::run {

struct Cancellation {
  base::Fd event;   // eventfd(2), readable once cancelled
  std::string why;  // written once, before the event is
  bool told = false;

  // Only the first reason counts. Under the engine's mutex.
  void tell(const std::string& reason) {
    if (told) return;
    told = true;
    why = reason;
    ::eventfd_write(event.get(), 1);
  }
};

}  // namespace band::run
