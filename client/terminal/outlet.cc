#include "client/terminal/outlet.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "client/host/write_all.h"
#include "client/terminal/terminal.h"
#include "schemas/core/utf8.h"

namespace band::client {

Outlet::Outlet(Kind kind)
    : kind_(kind),
      out_{STDOUT_FILENO, ::isatty(STDOUT_FILENO) == 1, ""},
      err_{STDERR_FILENO, ::isatty(STDERR_FILENO) == 1, ""} {}

bool Outlet::write(bool is_stderr, std::string_view bytes) {
  Stream& stream = is_stderr ? err_ : out_;
  if (kind_ == Kind::Screen) return put(STDOUT_FILENO, screen_.feed(bytes));
  return stream.terminal ? put(stream.fd, shown(stream, bytes, false)) : put(stream.fd, bytes);
}

void Outlet::finish() {
  if (kind_ == Kind::Screen) {
    put(STDOUT_FILENO, screen_.restore());
    return;
  }
  for (Stream* stream : {&out_, &err_})
    if (stream->terminal) put(stream->fd, shown(*stream, "", true));
}

std::string Outlet::shown(Stream& stream, std::string_view bytes, bool last) {
  std::string text = std::exchange(stream.held, "") + std::string(bytes);
  std::size_t held = last ? 0 : unfinished_utf8(text);
  if (!last && text.ends_with('\r')) held = 1;
  stream.held = text.substr(text.size() - held);
  text.resize(text.size() - held);
  return printable(lines_for_carriage_returns(text));
}

bool Outlet::put(int fd, std::string_view bytes) {
  if (error_ != 0) return false;
  if (!write_all(fd, bytes)) error_ = errno;
  return error_ == 0;
}

}  // namespace band::client
