// Reads a descriptor until EOF.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace band::client {

// Reads until EOF or an error, and returns at most the first `most` bytes. Further bytes are read and discarded, so
// that the writer does not block on a full pipe. The result does not show whether an error occurred.
inline std::string read_all(int fd, std::size_t most) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer, std::min(static_cast<std::size_t>(got), most - std::min(most, text.size())));
  }
}

}  // namespace band::client
