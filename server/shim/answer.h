// Sends an answer (protocol.h) to a shim, the program that the script started under the name of a command. The broker
// sends the answer if it refuses the command; otherwise the command's warden (server/init/warden.h) sends it.
#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>

#include "server/shim/protocol.h"

namespace band::shim {

// `kind`, `code` and `text`: see AnswerHead. Truncates `text` to kMaxAnswerText. Never blocks. An answer fits into the
// empty buffer of the socket. If the buffer is not empty, the answer can be lost; this affects only the peer of this
// socket.
inline void answer(int socket, AnswerHead::Kind kind, std::uint32_t code, std::string_view text = {}) {
  text = text.substr(0, kMaxAnswerText);
  const AnswerHead head{kind, code, static_cast<std::uint32_t>(text.size())};
  std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
  bytes += text;
  ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace band::shim
