#include "server/base/channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace band::base {
namespace {

Result<std::pair<Fd, Fd>> pair_of(int type) {
  int ends[2];
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) return layer_error("channel", "socketpair", errno);
  return std::pair(Fd(ends[0]), Fd(ends[1]));
}

}  // namespace

Result<std::pair<Fd, Fd>> channel() {
  BAND_TRY(auto ends, pair_of(SOCK_SEQPACKET));
  // A whole packet must fit into the buffer; the kernel doubles this value.
  const int room = 200 << 10;
  for (const Fd* end : {&ends.first, &ends.second})
    if (::setsockopt(end->get(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room) != 0)
      return layer_error("channel", "cannot set the size of the send buffer", errno);
  return ends;
}
Result<std::pair<Fd, Fd>> stream_pair() { return pair_of(SOCK_STREAM); }

Status send(int socket, std::string_view text, const std::vector<int>& fds, int flags) {
  if (text.empty() || text.size() > kMostMessageBytes || fds.size() > kMostMessageFds)
    return layer_error("channel",
                       "cannot send a message of " + std::to_string(text.size()) + " bytes with " +
                           std::to_string(fds.size()) + " descriptors: a limit is exceeded",
                       0);
  iovec part{const_cast<char*>(text.data()), text.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMostMessageFds)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!fds.empty()) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
    std::memcpy(CMSG_DATA(header), fds.data(), sizeof(int) * fds.size());
  }
  while (::sendmsg(socket, &message, MSG_NOSIGNAL | flags) < 0)
    if (errno != EINTR) return layer_error("channel", "cannot send", errno);
  return done();
}

Status pass_credentials(int socket) {
  const int yes = 1;
  if (::setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes) != 0)
    return layer_error("channel", "cannot set SO_PASSCRED", errno);
  return done();
}

bool peer_closed(int socket) {
  pollfd one{socket, POLLRDHUP, 0};
  return ::poll(&one, 1, 0) != 0;
}

Result<Message> receive(int socket, std::size_t limit, std::size_t most_fds) {
  Message result;
  result.text.resize(limit);
  iovec part{result.text.data(), result.text.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMostMessageFds) + CMSG_SPACE(sizeof(ucred))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = CMSG_SPACE(sizeof(int) * std::min(most_fds, kMostMessageFds)) + CMSG_SPACE(sizeof(ucred));
  ssize_t n = 0;
  while ((n = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC)) < 0)
    if (errno != EINTR) return layer_error("channel", "cannot receive", errno);
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_CREDENTIALS)
      std::memcpy(&result.sender.emplace(), CMSG_DATA(header), sizeof(ucred));
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof fd);
      result.fds.emplace_back(fd);
    }
  }
  // Without SO_PASSCRED the space for ucred can hold further descriptors, so their number is checked, too.
  if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0 || result.fds.size() > most_fds)
    return layer_error(
        "channel",
        "cannot receive: the message is too large or has too many descriptors, or this process cannot open more",
        EMSGSIZE);
  result.text.resize(static_cast<std::size_t>(n));
  return result;
}

}  // namespace band::base
