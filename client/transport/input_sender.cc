#include "client/transport/input_sender.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "client/platform/pipe.h"
#include "schemas/wire/terminal_input.h"

namespace band::client {
namespace {

constexpr std::size_t kPieceBytes = 64 << 10;
constexpr short kCame = POLLIN | POLLHUP | POLLERR | POLLNVAL;

}  // namespace

InputSender::InputSender(const Target& target, std::function<void(const Error&)> failed, Keyboard* keyboard)
    : keyboard_(keyboard), daemon_(target), failed_(std::move(failed)) {
  auto pipe = open_pipe();
  if (!pipe.ok()) {
    unreadable_ = pipe.error();
    return;
  }
  stop_read_ = std::move(pipe->read_end);
  stop_write_ = std::move(pipe->write_end);
}

InputSender::InputSender(const Target& target, std::function<void(const Error&)> failed, std::string_view text)
    : InputSender(target, std::move(failed), nullptr) {
  text_ = text;
}

InputSender::~InputSender() {
  stopping_ = true;
  stop_write_.reset();
  daemon_.stop();
  if (thread_.joinable()) thread_.join();
}

void InputSender::start(const std::string& execution, const EffectiveLimits& limits) {
  if (unreadable_) return failed_(*unreadable_);
  thread_ = std::thread([this, execution, limits] {
    Status sent = daemon_.prove();
    if (sent.ok()) sent = daemon_.send_input(execution, limits, [this](int answer) { return next(answer); });
    if (unreadable_) return failed_(*unreadable_);
    if (stopping_) return;
    if (!sent.ok()) failed_(sent.error());
  });
}

std::optional<std::string> InputSender::next(int answer) {
  if (text_) return next_of_text(answer);
  std::string piece(kPieceBytes, '\0');
  for (;;) {
    pollfd all[] = {{STDIN_FILENO, POLLIN, 0},
                    {stop_read_.get(), POLLIN, 0},
                    {answer, POLLIN, 0},
                    {keyboard_ != nullptr ? keyboard_->resized() : -1, POLLIN, 0}};
    if (::poll(all, 4, -1) < 0 && errno != EINTR) return fail();
    if (all[1].revents != 0) return std::nullopt;
    if ((all[2].revents & kCame) != 0) return "";  // the server has answered: it accepts no more input
    if (keyboard_ != nullptr && (all[3].revents & kCame) != 0) return size_frame(keyboard_->take_size());
    if ((all[0].revents & kCame) == 0) continue;
    const ssize_t got = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return fail();
    piece.resize(static_cast<std::size_t>(got));
    if (keyboard_ == nullptr || piece.empty()) return piece;
    const Keyboard::Keys keys = keyboard_->read(piece);
    if (keys.disconnect) return disconnect();
    if (!keys.typed.empty()) return keys_frames(keys.typed);
    piece.resize(kPieceBytes);
  }
}

std::optional<std::string> InputSender::next_of_text(int answer) {
  pollfd answered{answer, POLLIN, 0};
  if (stopping_) return std::nullopt;
  if (::poll(&answered, 1, 0) > 0 && (answered.revents & kCame) != 0) return "";  // see next()
  const std::string piece(text_->substr(0, kPieceBytes));
  text_->remove_prefix(piece.size());
  return piece;  // "" at EOF
}

std::optional<std::string> InputSender::fail() {
  unreadable_ = Error{.code = Code::Usage, .doing = "cannot read standard input", .err = errno};
  return std::nullopt;
}

// Closing the connection ends the execution.
std::optional<std::string> InputSender::disconnect() {
  unreadable_ = Error{.code = Code::Cancelled,
                      .doing = "disconnected with ~.; the execution ends, and nothing is written back",
                      .hint = "use `exit` or ctrl-D to end the shell regularly"};
  return std::nullopt;
}

}  // namespace band::client
