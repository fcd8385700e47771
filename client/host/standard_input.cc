#include "client/host/standard_input.h"

#include <unistd.h>

#include <cerrno>

namespace band::client {

Result<std::optional<std::string>> read_standard_input(std::size_t most, Until until) {
  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error{.code = Code::Usage, .doing = "cannot read standard input", .err = errno};
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > most) return std::optional<std::string>();
    if (got == 0 || (until == Until::Line && text.ends_with('\n'))) return std::optional(std::move(text));
  }
}

}  // namespace band::client
