// Feeds the bytes of a client to LaterHellos (server/gateway), and returns the bytes that LaterHellos would forward to
// the server.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "server/gateway/handshake.h"

namespace band::test {

struct Passed {
  std::string bytes, objection, left;
  bool within_hello = false;
};

// Feeds `bytes` in pieces of `step` bytes.
inline Passed pass(std::string_view bytes, std::size_t step, gateway::LaterHellos::Objection objection) {
  gateway::LaterHellos hellos(std::move(objection));
  Passed passed;
  for (; !bytes.empty() && passed.objection.empty(); bytes.remove_prefix(std::min(step, bytes.size()))) {
    passed.objection = hellos.feed(bytes.substr(0, step));
    passed.bytes += hellos.take_judged();
  }
  passed.within_hello = hellos.within_hello();
  passed.left = hellos.release();
  return passed;
}

}  // namespace band::test
