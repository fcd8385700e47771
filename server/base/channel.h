// Messages between band's own processes: SOCK_SEQPACKET, one message per packet, with descriptors (unix(7),
// SCM_RIGHTS). Bounded in both directions; a truncated message, or one with more descriptors than allowed, is an error.
#pragma once

#include <sys/socket.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::base {

inline constexpr std::size_t kMaxMessageBytes = 64 << 10;    // default limit of receive()
inline constexpr std::size_t kMostMessageBytes = 256 << 10;  // largest message: 1,000 tokens with the longest names
inline constexpr std::size_t kMaxMessageFds = 5;             // default limit of receive()
inline constexpr std::size_t kMostMessageFds = 21;           // most descriptors: a shim's connection, a memfd, 19 more

struct Message {
  std::string text;     // empty: EOF
  std::vector<Fd> fds;  // close-on-exec
  // The sender's credentials from the kernel; set after tell_senders().
  std::optional<ucred> sender = {};
};

Result<std::pair<Fd, Fd>> channel();      // SOCK_SEQPACKET pair
Result<std::pair<Fd, Fd>> stream_pair();  // SOCK_STREAM pair
// With MSG_DONTWAIT in `flags`, fails with EAGAIN when the socket's buffer is full.
Status send(int socket, std::string_view text, const std::vector<int>& fds = {}, int flags = 0);
// Enables Message::sender for messages received on this socket from now on (unix(7), SO_PASSCRED).
Status tell_senders(int socket);
// Receives at most `limit` bytes (up to kMostMessageBytes) and `most_fds` descriptors (up to kMostMessageFds). Fails
// with EMSGSIZE when the message is longer, has more descriptors, or this process cannot open more descriptors; this
// message is lost, and the next one can be received. On a stream socket `limit` reads one message of known size and no
// part of the next one.
Result<Message> receive(int socket, std::size_t limit = kMaxMessageBytes, std::size_t most_fds = kMaxMessageFds);

}  // namespace band::base
