// Why a request gets no slot now: HTTP 503, with the seconds after which another try makes sense. Pure.
#pragma once

#include <string>

#include "schemas/core/result.h"

namespace band::run {

struct Busy {
  Error error;
  int retry_after_s = 1;
};

Busy queue_full();               // of all tokens together
Busy token_full(int per_token);  // this token has as many requests in the queue as it may
Busy none_in_service();          // no slot could run anything, however long the queue
Busy draining();                 // `band-server drain`: another server is about to take this one's place
Busy stopping(const std::string& why);
inline constexpr const char* kServerStops = "the server stops";

}  // namespace band::run
