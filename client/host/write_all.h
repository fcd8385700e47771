// Writes all bytes to a descriptor.
#pragma once

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace band::client {

// Returns false with errno when not all bytes could be written. If the descriptor is non-blocking, waits until it is
// writable. stdout and stderr can be non-blocking: band inherits them from another process, which may have set
// O_NONBLOCK.
inline bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      pollfd room{fd, POLLOUT, 0};
      if (::poll(&room, 1, -1) >= 0 || errno == EINTR) continue;
    }
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace band::client
