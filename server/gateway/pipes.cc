#include "server/gateway/pipes.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace band::gateway {
namespace {

// Pipes of all executions together count against one user's 16,384 pages (pipe-user-pages-soft, pipe(7)), 16 of the
// usual size each; above that the kernel makes them small itself. So one execution of which nobody reads takes a
// sixteenth, and makes its own connections slower, not others'.
constexpr std::size_t kMostLarge = 64;
constexpr int kSmallBytes = 8192;
constexpr std::size_t kMostIdle = 32;

}  // namespace

std::optional<Pipe> Pipes::take() {
  if (!idle_.empty()) {
    Pipe pipe = std::move(idle_.back());
    idle_.pop_back();
    return pipe;
  }
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return std::nullopt;
  Pipe pipe{base::Fd(ends[0]), base::Fd(ends[1]), large_ < kMostLarge};
  if (pipe.large) {
    ++large_;
  } else if (::fcntl(ends[0], F_SETPIPE_SZ, kSmallBytes) < 0) {
    return std::nullopt;
  }
  return pipe;
}

void Pipes::give_back(Pipe pipe) {
  if (pipe.large && idle_.size() < kMostIdle) {
    idle_.push_back(std::move(pipe));
  } else {
    discard(std::move(pipe));
  }
}

void Pipes::discard(Pipe pipe) {
  if (pipe.large) --large_;
}

}  // namespace band::gateway
