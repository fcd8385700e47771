// Whether the author of the skill or the caller wrote a name, in contrast to a name from data that the script has read.
#pragma once

#include <string_view>

#include "client/hints/failure.h"

namespace band::client {

// Returns true if a file of the skill, the caller's input, a word of the command, or a file of the workspace that is a
// word of the command contains `name`, in any letter case, and not as a part of a longer word.
bool is_authored(std::string_view name, const Failure& failure);

// For a name that nobody has authored: the end of a hint, without a line to paste.
inline constexpr std::string_view kFromData =
    "; this name came from data, not from the skill or the command: allow it only if you know it";

// Returns the texts that is_authored() searches: the script, its files, the input, the command, and files that the
// command names.
std::vector<std::string> authored_texts(const Failure& failure);

}  // namespace band::client
