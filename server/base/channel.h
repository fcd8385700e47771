// Messages between band's own processes: SOCK_SEQPACKET, one message a packet, descriptors attached (unix(7),
// SCM_RIGHTS). Bounded both ways; a message that was cut, or came with more descriptors than allowed, is an error.
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

inline constexpr std::size_t kMaxMessageBytes = 64 << 10;    // that a receiver takes unless it says more
inline constexpr std::size_t kMostMessageBytes = 256 << 10;  // that can be sent: 1,000 tokens of the longest names
inline constexpr std::size_t kMaxMessageFds = 5;             // that a receiver takes unless it says more
inline constexpr std::size_t kMostMessageFds = 21;           // a command: its shim, itself, its descriptors

struct Message {
  std::string text;     // empty: the other side closed
  std::vector<Fd> fds;  // close-on-exec
  // Who sent it, as the kernel knows it. For a receiver that has asked to be told (tell_senders).
  std::optional<ucred> sender = {};
};

Result<std::pair<Fd, Fd>> channel();      // SOCK_SEQPACKET pair
Result<std::pair<Fd, Fd>> stream_pair();  // SOCK_STREAM pair
// With `flags` MSG_DONTWAIT it is EAGAIN when the other side has not read what was sent before.
Status send(int socket, std::string_view text, const std::vector<int>& fds = {}, int flags = 0);
// Of each message that comes on this socket from now on (unix(7), SO_PASSCRED).
Status tell_senders(int socket);
// EMSGSIZE for a message that is longer, has more descriptors, or comes while this process can open no more: the
// message is lost, and the next one can be received. At most `limit` bytes (kMostMessageBytes): on a stream socket that
// reads one message of a known size and no part of the next. At most `most_fds` descriptors (kMostMessageFds).
Result<Message> receive(int socket, std::size_t limit = kMaxMessageBytes, std::size_t most_fds = kMaxMessageFds);

}  // namespace band::base
