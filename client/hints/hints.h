// Hints for a failed run. A hint states a fact about this run that can have caused the failure, and what to write, add
// or start so that the next run does not fail for this reason.
//
// The script writes the log, and chooses the names of files, programs and hosts in it. Therefore a hint has a line to
// paste only for a name that the skill or the caller has written (authored.h), and for a file of the workspace whose
// name does not begin with a dot. A person must still read such a line before adding it to a BAND.md. No name from the
// log is looked up outside of the workspace, except by its text. Pure, except that the finders look up names in the
// workspace, and read files of it that were sent.
#pragma once

#include <string>
#include <vector>

#include "client/hints/failure.h"

namespace band::client {

inline constexpr std::size_t kMostHints = 3;

// Returns at most kMostHints hints, the most likely first. Each is one line, escaped.
std::vector<std::string> hints_of(const Failure& failure);
// For a run that may have succeeded: the hints about files and directories that the input names and that were not sent.
// A script can ignore that they are missing, and return a wrong result. Empty for `band exec`.
std::vector<std::string> unsent_inputs(const Failure& failure);

}  // namespace band::client
