#include "server/http/connection.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "schemas/wire/wire.h"
#include "server/base/channel.h"
#include "server/base/io.h"
#include "server/base/wiped.h"

namespace band::http {
namespace {

std::string_view reason_of(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 421:
      return "Misdirected Request";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Error";
  }
}

}  // namespace

std::string refusal_text(const Refusal& no) {
  const std::string body = error_text(no.error);
  std::string text = "HTTP/1.1 " + std::to_string(no.status) + " ";
  text.append(reason_of(no.status)).append("\r\nContent-Type: application/json\r\nConnection: close\r\n");
  text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  if (no.status == 401) text += "WWW-Authenticate: Bearer realm=\"band\"\r\n";
  if (!no.allow.empty()) text += "Allow: " + no.allow + "\r\n";
  if (no.retry_after > 0) text += "Retry-After: " + std::to_string(no.retry_after) + "\r\n";
  return text + "\r\n" + body;
}

void prepare_waking() {
  struct sigaction action {};
  action.sa_handler = [](int) {};  // it only has to interrupt system calls
  ::sigaction(SIGUSR1, &action, nullptr);
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

int Connection::poll(pollfd* fds, nfds_t count, int ms) {
  sigset_t none;
  ::sigemptyset(&none);
  const timespec time{ms / 1000, ms % 1000 * 1'000'000L};
  return ::ppoll(fds, count, ms < 0 ? nullptr : &time, &none);
}

short Connection::wait_for(short events, std::int64_t deadline_us) const {
  while (!ended()) {
    const std::int64_t left_us = deadline_us - base::monotonic_us();
    if (left_us <= 0) return 0;
    pollfd one{socket_.get(), events, 0};
    const int n = poll(&one, 1, static_cast<int>(std::min<std::int64_t>(left_us / 1000 + 1, 60'000)));
    if (n > 0) return one.revents;
    if (n < 0 && errno != EINTR) return POLLERR;
  }
  return 0;
}

ssize_t Connection::receive() {
  base::Wiped<65536> fresh;
  for (;;) {
    const ssize_t n = ::recv(socket_.get(), fresh.bytes, sizeof fresh.bytes, MSG_DONTWAIT);
    // Only the received bytes are wiped: a wipe of 64 KiB for each single byte of a client would take too long.
    fresh.written = n > 0 ? static_cast<std::size_t>(n) : 0;
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n;
    if (taken_ > 0) std::string(held()).swap(buffer_);
    taken_ = 0;
    buffer_.append(fresh.bytes, static_cast<std::size_t>(n));
    in_ += static_cast<std::uint64_t>(n);
    return n;
  }
}

int Connection::fill(std::int64_t deadline_us) {
  for (;;) {
    const ssize_t n = receive();
    if (n >= 0) return n > 0 ? 1 : 0;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return -1;
    if (wait_for(POLLIN, deadline_us) == 0) {
      timed_out_ = !ended();
      return -1;
    }
  }
}

void Connection::drop(std::size_t bytes) {
  ::explicit_bzero(buffer_.data() + taken_, bytes);
  taken_ += bytes;
  if (taken_ < buffer_.size()) return;
  buffer_.clear();
  taken_ = 0;
}

Connection::Connection(base::Fd socket, std::string peer)
    : socket_(std::move(socket)), peer_(std::move(peer)), since_us_(base::monotonic_us()), born_us_(since_us_.load()) {}

void Connection::proof_answered() { born_us_ = base::monotonic_us(); }

bool Connection::become(State next) {
  thread_ = ::pthread_self();
  since_us_ = base::monotonic_us();
  State now = state_;
  while (now != State::Ended && now != State::Shut)
    if (state_.compare_exchange_weak(now, next)) return true;
  return false;
}

bool Connection::end(const Refusal& why) {
  State now = state_;
  for (;;) switch (now) {
      case State::Waiting:
        // When bytes have arrived that the connection's thread has not read yet, they may be the head of a request.
        if (char byte; ::recv(socket_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0) return false;
        [[fallthrough]];
      case State::Lingering:
        if (!state_.compare_exchange_weak(now, State::Shut)) continue;
        ::shutdown(socket_.get(), SHUT_RDWR);
        return true;
      case State::Receiving:
      case State::Queued:
      case State::Stalled:
        why_ = why;
        if (!state_.compare_exchange_weak(now, State::Ended)) continue;
        ::pthread_kill(thread_, SIGUSR1);
        return true;
      case State::Busy:
      case State::Ended:
      case State::Shut:
        return false;
    }
}

Connection::Got Connection::read_head(std::string& text, Refusal& no) {
  // expired_ is read in a state in which expire()'s caller can also end the connection: either expired_ is seen here,
  // or that caller finds the connection waiting.
  if (!become(State::Waiting) || expired_) return Got::Closed;
  const Got got = wait_for_head(text, no);
  // Another thread may have ended the connection in the meantime; the socket is then already shut down.
  return become(State::Busy) ? got : Got::Closed;
}

Connection::Got Connection::wait_for_head(std::string& text, Refusal& no) {
  const std::int64_t now = base::monotonic_us();
  std::int64_t deadline = now + kHeadMs * 1000;
  if (!first_ && held().empty()) {
    if (wait_for(POLLIN, now + kIdleMs * 1000) == 0) return Got::Closed;
    deadline = base::monotonic_us() + kHeadMs * 1000;
  }
  first_ = false;
  for (;;) {
    const auto end = held().find("\r\n\r\n");
    if (std::min(end, held().size()) > kMaxHeadBytes) {
      no =
          refusal(431, Code::BadRequest, "the request's head has more than " + std::to_string(kMaxHeadBytes) + " bytes",
                  "send fewer or shorter headers");
      return Got::Refused;
    }
    if (end != std::string::npos) {
      text = held().substr(0, end + 4);
      drop(end + 4);
      return Got::Head;
    }
    const int got = fill(deadline);
    if (got == 1) continue;
    if (got == 0 || !timed_out_ || held().empty()) return Got::Closed;
    no = refusal(408, Code::BadRequest, "the request's head took longer than " + std::to_string(kHeadMs / 1000) + " s",
                 "send the whole head without a pause");
    return Got::Refused;
  }
}

void Connection::expect_body(http1::BodyFrame frame) {
  body_ = frame;
  body_started_us_ = base::monotonic_us();
}

ssize_t Connection::take_content(char* into, std::size_t size) {
  std::string_view content;
  const std::size_t taken = body_.consume(held().substr(0, size), content);
  content.copy(into, size);
  const auto given = static_cast<ssize_t>(content.size());
  drop(taken);
  return given;
}

ssize_t Connection::read_body(char* into, std::size_t size) {
  while (!refused_ && !body_.failed() && !timed_out_ && !ended()) {
    if (body_.done()) return 0;
    const auto earned_us = static_cast<std::int64_t>(in_) * 1'000'000 / kBytesPerSecond;
    if (held().empty() && fill(body_started_us_ + kBodyMs * 1000 + earned_us) != 1) return -1;
    if (const ssize_t given = take_content(into, size); given > 0) return given;
  }
  return -1;
}

ssize_t Connection::read_body_now(char* into, std::size_t size) {
  while (!refused_ && !body_.failed() && !ended()) {
    if (body_.done()) return 0;
    if (held().empty()) {
      const ssize_t came = receive();
      if (came < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return 0;
      if (came <= 0) return -1;
    }
    if (const ssize_t given = take_content(into, size); given > 0) return given;
  }
  return -1;
}

ssize_t Connection::write(const char* bytes, std::size_t size) {
  if (refused_) return -1;
  std::size_t sent = 0;
  while (sent < size) {
    const ssize_t n = ::send(socket_.get(), bytes + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
      sent += static_cast<std::size_t>(n);
      out_ += static_cast<std::uint64_t>(n);
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK) return -1;
    const std::int64_t before = base::monotonic_us();
    const auto earned_us = static_cast<std::int64_t>(out_) * 1'000'000 / kBytesPerSecond;
    std::int64_t deadline = before + stall_ms_ * 1000 + earned_us - stalled_us_;
    if (!become(State::Stalled)) return -1;
    // Read in State::Stalled, for the reason in read_head().
    if (expired_) deadline = std::min(deadline, before + kExpiredStallMs * 1000);
    const short events = wait_for(POLLOUT | POLLRDHUP, deadline);
    stalled_us_ += base::monotonic_us() - before;
    if (!become(State::Busy) || events == 0 || (events & (POLLERR | POLLHUP | POLLRDHUP)) != 0) return -1;
  }
  return static_cast<ssize_t>(size);
}

void Connection::refuse(const Refusal& no) {
  if (refused_) return;
  const std::string text = refusal_text(no);
  (void)write(text.data(), text.size());  // the connection is closed even if the client does not read the answer
  refused_ = true;
  refused_status_ = no.status;
}

bool Connection::peer_gone() const { return base::peer_closed(socket_.get()); }

// close(2) with unread bytes sends RST, and RST makes the client's kernel discard an answer that the client has not
// read.
void Connection::linger() {
  // A connection that was ended can be ended again while it lingers. Otherwise refused requests could occupy every
  // connection until the deadline.
  State expected = State::Ended;
  if (!state_.compare_exchange_strong(expected, State::Lingering) && !become(State::Lingering)) return;
  ::shutdown(socket_.get(), SHUT_WR);
  const std::int64_t ms = refused_status_ == 503 && !body_.done() ? kLingerInBodyMs : kLingerMs;
  const std::int64_t deadline = base::monotonic_us() + ms * 1000;
  base::Wiped<16384> unread;
  for (;;) {
    const ssize_t n = ::recv(socket_.get(), unread.bytes, sizeof unread.bytes, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) return;
    if (base::monotonic_us() >= deadline) return;
    if (n < 0 && wait_for(POLLIN, deadline) == 0) return;
  }
}

}  // namespace band::http
