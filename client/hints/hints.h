// Hints for a failed run. A hint states a fact about this run that can have caused the failure, and what to write, add
// or start so that the next run does not fail for this reason.
//
// The script writes the log, and chooses the names of files, programs and hosts in it. Therefore a hint has a line to
// paste only for a file that exists in the workspace, or for a name that the skill or the caller's command contains. A
// person must still read such a line before adding it to a BAND.md. Pure, except that the finders look for names in the
// workspace, and read the beginning of files of the workspace.
#pragma once

#include <string>
#include <vector>

#include "client/hints/failure.h"

namespace band::client {

inline constexpr std::size_t kMostHints = 3;

// Returns at most kMostHints hints, the most likely first. Each is one line, escaped.
std::vector<std::string> hints_of(const Failure& failure);

}  // namespace band::client
