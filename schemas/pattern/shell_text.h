// A command line as people read it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace band {

inline constexpr std::size_t kMaxShownCommand = 300;  // bytes, about three lines of a terminal

// Words quoted so that a shell would read the same arguments, whatever bytes they hold: control characters,
// bidirectional overrides and what is no UTF-8 are written as escapes in $'...', so that no terminal ever meets them.
// Cut to about `limit` bytes, `...` where something is missing; no more of `argv` is read than is shown. Mask secrets
// before: a half of one, or a quoted one, is not recognised after.
std::string shell_text(std::span<const std::string> argv, std::size_t limit = kMaxShownCommand);

// The whole word for a shell, and for a pattern of `cli`: in single quotes unless all of it is plain. Not for a
// terminal: its bytes stay as they are.
std::string quoted_word(std::string_view word);

}  // namespace band
