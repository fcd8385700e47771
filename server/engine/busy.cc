#include "server/engine/busy.h"

namespace band::run {
namespace {

Error error(Code code, std::string what, std::string hint) {
  return Error{.code = code, .doing = std::move(what), .hint = std::move(hint)};
}

}  // namespace

Busy queue_full() {
  return {error(Code::ServerBusy, "every slot is taken and the queue is full",
                "try again in a moment, or raise `slots.count` or `queue.length` in server.yaml"),
          1};
}

Busy token_full(int per_token) {
  return {error(Code::ServerBusy,
                "this token has " + std::to_string(per_token) + " requests in the queue, and may have no more",
                "wait for one of its runs to end, or raise `queue.per_token`, or `slots.per_token` (how many run at a "
                "time), in server.yaml"),
          1};
}

Busy none_in_service() {
  return {error(Code::ServerBusy,
                "no slot is in service: each waits until the kernel has ended what its last execution left",
                "`slots.per_token` in server.yaml keeps one token from holding all of them"),
          5};
}

Busy draining() {
  return {error(Code::ServerBusy, "the server is about to be replaced and accepts no executions",
                "try again when the new one runs, in a minute or so"),
          5};
}

Busy stopping(const std::string& why) {
  return {error(Code::Cancelled, "the execution did not start: " + why, "try again later"), 5};
}

}  // namespace band::run
