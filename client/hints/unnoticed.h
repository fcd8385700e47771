// Hints for a run that ended well, or that failed for a reason that no finder has found: what the script can have
// missed without an error. It tests for a file and continues without it, throws away the messages of git, or takes the
// default of a variable. Each hint states a fact about this run, and what to write if the script needs it.
#pragma once

#include "client/hints/finders.h"

namespace band::client {

// Returns whether find_unnoticed() can find something, without examining the workspace. Fast: for every run.
bool may_be_unnoticed(const Script& script, const std::vector<std::string>& command, const Answer& answer);

// A repository whose `.git`, or whose files, were not sent; files, programs and variables that the script tests for.
void find_unnoticed(const Inquiry& inquiry, Hints& hints);

}  // namespace band::client
