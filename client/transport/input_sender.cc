#include "client/transport/input_sender.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace band::client {
namespace {

constexpr std::size_t kPieceBytes = 64 << 10;

}  // namespace

InputSender::InputSender(const Target& target, std::function<void(const Error&)> failed)
    : daemon_(target), failed_(std::move(failed)) {
  int ends[2];
  if (::pipe(ends) != 0) return;  // start() says so
  stop_read_ = Fd(ends[0]);
  stop_write_ = Fd(ends[1]);
  for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
}

InputSender::~InputSender() {
  stop_write_.reset();
  daemon_.stop();
  if (thread_.joinable()) thread_.join();
}

void InputSender::start(const std::string& execution, const EffectiveLimits& limits) {
  if (!stop_read_) return failed_(Error{.code = Code::Internal, .doing = "make a pipe", .err = EMFILE});
  thread_ = std::thread([this, execution, limits] {
    Status sent = daemon_.prove();
    if (sent.ok()) sent = daemon_.send_input(execution, limits, [this] { return next(); });
    if (!sent.ok()) failed_(sent.error());
  });
}

std::optional<std::string> InputSender::next() {
  pollfd both[] = {{STDIN_FILENO, POLLIN, 0}, {stop_read_.get(), POLLIN, 0}};
  while (::poll(both, 2, -1) < 0)
    if (errno != EINTR) return std::nullopt;
  if (both[1].revents != 0) return std::nullopt;
  std::string piece(kPieceBytes, '\0');
  ssize_t got = 0;
  do {
    got = ::read(STDIN_FILENO, piece.data(), piece.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) return std::nullopt;
  piece.resize(static_cast<std::size_t>(got));
  return piece;
}

}  // namespace band::client
