// Command lines as text for messages.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace band {

inline constexpr std::size_t kMaxShownCommand = 300;  // bytes, about three lines of a terminal

// Returns `argv` as a command line that a shell splits into the same arguments. Arguments may have arbitrary bytes:
// control characters, bidirectional overrides and invalid UTF-8 are written as escapes in $'...', so that they never
// reach a terminal. A longer text is cut to about `limit` bytes, with `...` for each omitted part; a cut text no longer
// stands for the same arguments. The function reads only the parts of `argv` that it shows. Secrets must be masked
// before the call, because a secret that was cut or quoted would not be recognised later.
std::string shell_text(std::span<const std::string> argv, std::size_t limit = kMaxShownCommand);

// Returns `word` quoted for a shell or a `cli` pattern, and never cut: in single quotes, or unchanged if no character
// needs quotes. Do not print the result on terminals, because control characters are not escaped.
std::string quoted_word(std::string_view word);

}  // namespace band
