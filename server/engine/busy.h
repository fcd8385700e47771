// Reasons why a request gets no slot: HTTP 503 with Retry-After, the seconds after which a retry makes sense. Pure.
#pragma once

#include <string>

#include "schemas/core/result.h"

namespace band::run {

struct Busy {
  Error error;
  int retry_after_s = 1;
};

Busy queue_full();               // the limit of all tokens together
Busy token_full(int per_token);  // the limit of each token
Busy none_in_service();          // no slot can run anything, regardless of the queue
Busy draining();                 // `band-server drain`: another server is about to replace this one
Busy stopping(const std::string& why);
inline constexpr const char* kServerStops = "the server is stopping";

}  // namespace band::run
