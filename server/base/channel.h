// Messages between band's own processes. They are sent over a SOCK_SEQPACKET socket, where each packet is one message,
// and may have descriptors attached (SCM_RIGHTS, unix(7)). Messages to send and messages to receive have maximum sizes.
// A received message that is longer, or that has more descriptors than allowed, is an error.
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

inline constexpr std::size_t kMaxMessageBytes = 64 << 10;  // default limit of receive()
// The largest message has the tokens of a tokens file with 1,000 tokens and the longest names.
inline constexpr std::size_t kMostMessageBytes = 256 << 10;
inline constexpr std::size_t kMaxMessageFds = 5;  // default limit of receive()
// The message with the most descriptors is StartCommand: the shim's connection, a memfd, and 19 descriptors of the
// command.
inline constexpr std::size_t kMostMessageFds = 21;

struct Message {
  std::string text;     // empty: the sender has closed its end
  std::vector<Fd> fds;  // all are close-on-exec
  // The credentials of the sender, from the kernel. Set only if pass_credentials() was called for the socket.
  std::optional<ucred> sender = {};
};

Result<std::pair<Fd, Fd>> channel();      // SOCK_SEQPACKET pair
Result<std::pair<Fd, Fd>> stream_pair();  // SOCK_STREAM pair
// `flags`: for send(2). With MSG_DONTWAIT, returns EAGAIN when the socket's buffer is full.
Status send(int socket, std::string_view text, const std::vector<int>& fds = {}, int flags = 0);
// Enables Message::sender for messages received on this socket from now on (unix(7), SO_PASSCRED).
Status pass_credentials(int socket);
// Returns true when the peer has closed its end, or has shut it down for writing. Does not wait.
bool peer_closed(int socket);
// Receives at most `limit` bytes (up to kMostMessageBytes) and `most_fds` descriptors (up to kMostMessageFds). Returns
// EMSGSIZE when the message is longer, when the message has more descriptors, or when this process cannot open more
// descriptors. The message is then lost; the next message can be received. On a stream socket, where messages have no
// borders, set `limit` to the known size of the message: receive() then reads no byte of the next message.
Result<Message> receive(int socket, std::size_t limit = kMaxMessageBytes, std::size_t most_fds = kMaxMessageFds);

}  // namespace band::base
