// Messages between band's own processes. A message is one packet of a SOCK_SEQPACKET socket, and may have descriptors
// attached (SCM_RIGHTS, unix(7)). The size and the number of descriptors of a message are limited, both in send() and
// in receive(). A received message that exceeds a limit is an error.
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
// The limit of send(). The largest message contains the data of 1,000 tokens (server/admin/tokens.h) with the longest
// names.
inline constexpr std::size_t kMostMessageBytes = 256 << 10;
inline constexpr std::size_t kMaxMessageFds = 5;  // default limit of receive()
// The limit of send(). The message with the most descriptors is StartCommand (server/init/setup.h): a connection, a
// memfd, and 19 descriptors of a command.
inline constexpr std::size_t kMostMessageFds = 21;

struct Message {
  std::string text;     // "": the sender has closed its end (send() does not send an empty message)
  std::vector<Fd> fds;  // all are close-on-exec
  // The credentials of the sender, from the kernel. Set only if pass_credentials() was called for the socket.
  std::optional<ucred> sender = {};
};

Result<std::pair<Fd, Fd>> channel();      // two connected SOCK_SEQPACKET sockets
Result<std::pair<Fd, Fd>> stream_pair();  // two connected SOCK_STREAM sockets
// Sends one message. Returns an error when `text` is empty or a limit is exceeded. Blocks while the socket's buffer is
// full; if `flags` (see send(2)) contains MSG_DONTWAIT, returns an error with the errno EAGAIN instead.
Status send(int socket, std::string_view text, const std::vector<int>& fds = {}, int flags = 0);
// Enables Message::sender for messages received on this socket from now on (unix(7), SO_PASSCRED).
Status pass_credentials(int socket);
// Returns true when the peer has closed its end, or has shut it down for writing. Does not wait.
bool peer_closed(int socket);
// Waits for one message, of at most `limit` bytes (up to kMostMessageBytes) and with at most `most_fds` descriptors (up
// to kMostMessageFds). Returns an error with the errno EMSGSIZE when the message is longer, when it has more
// descriptors, or when this process cannot open more descriptors. The message is then lost; the next message can be
// received. Returns an error with the errno EAGAIN when the socket is non-blocking and no message has arrived. A stream
// socket has no borders between messages: for such a socket, set `limit` to the size of the message, so that receive()
// reads no byte of the next message.
Result<Message> receive(int socket, std::size_t limit = kMaxMessageBytes, std::size_t most_fds = kMaxMessageFds);

}  // namespace band::base
