// Finds in the log of a program the messages about failed lookups and connections.
#pragma once

#include <string_view>

namespace band {

// Returns whether a text has such a message of libc, curl, git, Python, Node.js, Go or Java.
bool reports_network_failure(std::string_view log);

}  // namespace band
