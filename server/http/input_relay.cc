#include "server/http/input_relay.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "server/base/wiped.h"
#include "server/http_link/input.h"

namespace band::http {

bool InputRelay::read_piece() {
  base::Wiped<kMaxPiece> piece;
  const ssize_t n = client_.read_body_now(piece.bytes, sizeof piece.bytes);
  if (n < 0) return false;
  if (n > 0) frame_ = input_frame(std::string_view(piece.bytes, static_cast<std::size_t>(n)));
  if (n == 0 && client_.body_done()) {
    frame_ = input_frame("");
    ended_ = true;
  }
  return true;
}

bool InputRelay::send_piece() {
  const ssize_t n = ::send(engine_, frame_.data(), frame_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  ::explicit_bzero(frame_.data(), static_cast<std::size_t>(n));
  frame_.erase(0, static_cast<std::size_t>(n));
  return true;
}

bool InputRelay::wait() {
  const bool reads = frame_.empty() && !ended_;
  pollfd both[] = {{client_.socket(), static_cast<short>(POLLRDHUP | (reads ? POLLIN : 0)), 0},
                   {engine_, static_cast<short>(POLLIN | (frame_.empty() ? 0 : POLLOUT)), 0}};
  if (Connection::poll(both, 2, -1) < 0) return errno == EINTR && !client_.ended();
  answered_ = (both[1].revents & (POLLIN | POLLHUP | POLLERR)) != 0;
  return (both[0].revents & (POLLRDHUP | POLLHUP | POLLERR)) == 0;
}

InputRelay::End InputRelay::run() {
  for (;;) {
    if (frame_.empty() && !ended_ && !read_piece()) return client_.peer_gone() ? End::ClientGone : End::BadBody;
    if (!frame_.empty()) {
      if (!send_piece()) return End::Answered;
      if (frame_.empty() && !ended_) continue;  // more bytes may have arrived
    }
    const bool there = wait();
    if (answered_) return End::Answered;
    if (!there) return End::ClientGone;
  }
}

}  // namespace band::http
