#include "server/execution/standard_input.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "server/base/wiped.h"
#include "server/execution/terminal.h"
#include "server/http_link/reply_writer.h"

namespace band::run {

InputDoor::Put InputDoor::put(base::Fd& socket) {
  const std::lock_guard lock(mutex_);
  if (!open_) return Put::NotOpen;
  if (std::exchange(occupied_, true)) return Put::Occupied;
  socket_ = std::move(socket);
  ::eventfd_write(event_.get(), 1);
  return Put::Taken;
}

Status InputDoor::open() {
  base::Fd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event) return layer_error("run", "cannot make an eventfd", errno);
  const std::lock_guard lock(mutex_);
  event_ = std::move(event);
  open_ = true;
  return done();
}

base::Fd InputDoor::take() {
  const std::lock_guard lock(mutex_);
  return std::move(socket_);
}

void InputDoor::close() {
  const std::lock_guard lock(mutex_);
  open_ = false;
}

StandardInput::~StandardInput() {
  door_.close();
  if (!connection_) connection_ = door_.take();
  end();
}

int StandardInput::incoming() const {
  if (answered_ || wants_out()) return -1;
  return connection_ ? connection_.get() : door_.event();
}

Status StandardInput::on_incoming() {
  if (!connection_) {
    connection_ = door_.take();
    if (connection_) ::fcntl(connection_.get(), F_SETFL, O_NONBLOCK);
    if (!to_) end();
    return done();
  }
  base::Wiped<http::kMaxPiece> piece;
  const ssize_t n = ::recv(connection_.get(), piece.bytes, sizeof piece.bytes, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return done();
  Status came = n > 0 ? take({piece.bytes, static_cast<std::size_t>(n)})
                      : Error{.code = Code::Cancelled,
                              .doing = "the connection closed before the end of the client's standard input",
                              .hint = "run again"};
  if (!came.ok()) {
    answered_ = true;
    ReplyWriter reply(std::move(connection_));
    const bool of_client = came.error().code == Code::BadRequest;
    if (n > 0) reply.refuse(of_client ? 400 : 500, came.error());  // else the connection is closed without an answer
    reply.finish(0);
    return came;
  }
  on_outgoing(false);
  return done();
}

Status StandardInput::take(std::string_view bytes) {
  if (kind_ == Kind::Pipe) return reader_.feed(bytes, waiting_);
  constexpr char kEndOfFile = 'D' - '@';  // VEOF of termios(3), unless the script chose another key
  std::string frames;
  std::optional<TerminalSize> size;
  BAND_CHECK(reader_.feed(bytes, frames));
  BAND_CHECK(frames_.feed(frames, waiting_, size));
  if (size) BAND_CHECK(resize_terminal(to_.get(), *size));
  if (!reader_.ended()) return done();
  if (!frames_.between_frames())
    return Error{.code = Code::BadRequest, .doing = "the terminal's input has an incomplete frame at its end"};
  waiting_ += kEndOfFile;
  return done();
}

void StandardInput::on_outgoing(bool reader_gone) {
  std::size_t written = 0;
  while (!reader_gone && written < waiting_.size()) {
    const ssize_t n = ::write(to_.get(), waiting_.data() + written, waiting_.size() - written);
    if (n > 0) {
      written += static_cast<std::size_t>(n);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EAGAIN) break;
    reader_gone = true;  // EPIPE for a pipe, EIO for a terminal
  }
  waiting_.erase(0, written);
  if (reader_gone || (waiting_.empty() && reader_.ended())) end();
}

// Called at the end of the input, and when no process reads the pipe: the answer makes the client stop sending.
void StandardInput::end() {
  to_.reset();
  waiting_.clear();
  if (!connection_ || answered_) return;
  answered_ = true;
  ReplyWriter reply(std::move(connection_));
  reply.status(200);
  reply.empty_result();
  reply.finish(0);
}

}  // namespace band::run
