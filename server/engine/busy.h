// The answers to requests that get no slot (the place for one execution at a time): HTTP 503 with the reason and with
// Retry-After, the seconds after which the client should retry. Pure.
#pragma once

#include <string>

#include "schemas/core/result.h"

namespace band::run {

struct Busy {
  Error error;
  int retry_after_s = 1;
};

Busy queue_full();                      // the waiting requests of all tokens together have reached the limit
Busy token_full(int per_token);         // the waiting requests of this token have reached the limit, `per_token`
Busy none_in_service();                 // every slot is out of service (starter.h, recovery.h)
Busy draining();                        // `band-server drain`: another server is about to replace this one
Busy stopping(const std::string& why);  // the server stops; `why` is part of the message
inline constexpr const char* kServerStops = "the server is stopping";

}  // namespace band::run
