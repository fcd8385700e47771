// "End this execution", told from any thread, heard in its loop.
#pragma once

#include <string>

#include "server/base/fd.h"

namespace band::run {

struct Cancellation {
  base::Fd event;   // eventfd(2), readable once cancelled
  std::string why;  // written before the event is
};

}  // namespace band::run
