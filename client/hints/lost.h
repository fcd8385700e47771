// Changed files of a run that ended well and that no rule writes back.
#pragma once

#include <string>
#include <vector>

#include "client/hints/finders.h"

namespace band::client {

// Adds what to write so that the next run writes the files back. Names that begin with a dot, and names that programs
// execute or obey, are left out if the author has not written them: the script has chosen the names. `paths`: safe
// relative paths (is_safe_relative_path()).
void find_lost(const Inquiry& inquiry, const std::vector<std::string>& paths, Hints& hints);

}  // namespace band::client
