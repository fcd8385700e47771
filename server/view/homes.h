// Files that the script leaves in a home directory. They are removed with the sandbox, so a script that stores its data
// there exits with 0 and loses them.
#pragma once

#include <string>
#include <vector>

namespace band::view {

// Returns at most eight files below the home directory of the script (/tmp; of this only names that begin with a dot,
// because other files there are temporary) and below those of its commands, as "~/.notes/db". Leaves out caches and
// histories, and the settings of a command in its own home. Examines at most 500 entries of each home, and nine levels.
// `work`: Stage::work(). Call it when every process of the execution is dead.
std::vector<std::string> home_files(int work);

}  // namespace band::view
