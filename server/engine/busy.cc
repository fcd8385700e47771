#include "server/engine/busy.h"

namespace band::run {
namespace {

Error error(Code code, std::string what, std::string hint) {
  return Error{.code = code, .doing = std::move(what), .hint = std::move(hint)};
}

}  // namespace

Busy queue_full() {
  return {error(Code::ServerBusy, "all slots are busy and the queue is full",
                "try again in a moment, or raise `slots.count` or `queue.length` in server.yaml"),
          1};
}

Busy token_full(int per_token) {
  return {
      error(
          Code::ServerBusy,
          "this token has " + std::to_string(per_token) + " requests in the queue, which is the limit per token",
          "wait until a run of this token has ended, or raise `queue.per_token` or `slots.per_token` (runs at a time) "
          "in server.yaml"),
      1};
}

Busy none_in_service() {
  return {error(Code::ServerBusy,
                "no slot is in service: each slot could not be started, or still waits for processes of its previous "
                "execution",
                "see the server's log; `slots.per_token` in server.yaml limits how many slots one token can occupy"),
          5};
}

Busy draining() {
  return {error(Code::ServerBusy, "the server is about to be replaced and accepts no executions",
                "try again in about one minute, when the new server runs"),
          5};
}

Busy stopping(const std::string& why) {
  return {error(Code::Cancelled, "the execution did not start: " + why, "try again later"), 5};
}

}  // namespace band::run
