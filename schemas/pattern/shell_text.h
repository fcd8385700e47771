// Command lines as text for messages.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace band {

inline constexpr std::size_t kMaxShownCommand = 300;  // bytes, about three lines of a terminal

// Quotes the words such that a shell reads the same arguments, for arbitrary bytes. Control characters, bidirectional
// overrides and invalid UTF-8 are written as escapes in $'...', so that they never reach a terminal. Cut to about
// `limit` bytes, with `...` at omissions; reads only as much of `argv` as it shows. Mask secrets before the call: a cut
// or quoted secret is not recognised later.
std::string shell_text(std::span<const std::string> argv, std::size_t limit = kMaxShownCommand);

// Returns the whole word for a shell or a pattern of `cli`: in single quotes unless all of it is plain. Not for
// terminals, because the bytes are not escaped.
std::string quoted_word(std::string_view word);

}  // namespace band
