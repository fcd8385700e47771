// Sends an answer (protocol.h) to a shim, for the broker and for wardens.
#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>

#include "server/shim/protocol.h"

namespace band::shim {

// Truncates `text` to kMaxAnswerText. Never blocks: an answer fits into the socket's buffer. When a peer has filled the
// buffer, its answer is lost, which affects only that peer.
inline void answer(int socket, AnswerHead::Kind kind, std::uint32_t code, std::string_view text = {}) {
  text = text.substr(0, kMaxAnswerText);
  const AnswerHead head{kind, code, static_cast<std::uint32_t>(text.size())};
  std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
  bytes += text;
  ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace band::shim
