// Changed files that are not written back.
#pragma once

#include <string>
#include <vector>

#include "client/hints/finders.h"

namespace band::client {

// For a run that ended well, and files that no rule allows. Adds what to write so that the next run writes them back.
// Names that begin with a dot, and names that programs execute or obey, are left out if the author has not written
// them: the script has chosen the names. `paths`: safe relative paths (is_safe_relative_path()).
void find_lost(const Inquiry& inquiry, const std::vector<std::string>& paths, Hints& hints);
// For WRITE_CONFLICT: the files of the answer that the workspace has, and that were not sent. band does not replace
// them. Adds the lines of `read`, with the same exceptions.
void find_conflicts(const Inquiry& inquiry, Hints& hints);

}  // namespace band::client
