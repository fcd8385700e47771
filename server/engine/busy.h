// The answers to requests that get no slot: HTTP 503 with the reason and with Retry-After, the seconds after which the
// client should retry. Pure.
#pragma once

#include <string>

#include "schemas/core/result.h"

namespace band::run {

struct Busy {
  Error error;
  int retry_after_s = 1;
};

Busy queue_full();               // the requests of all tokens together have reached the limit
Busy token_full(int per_token);  // the requests of this token have reached the limit
Busy none_in_service();          // every slot is out of service (starter.h, recovery.h)
Busy draining();                 // `band-server drain`: another server is about to replace this one
Busy stopping(const std::string& why);
inline constexpr const char* kServerStops = "the server is stopping";

}  // namespace band::run
