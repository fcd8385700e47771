// Finds out for client/learn which files the workspace has, and which of them a pattern matches.
#pragma once

#include <string>
#include <vector>

#include "client/host/tree.h"
#include "client/learn/file_lines.h"

namespace band::client {

// `tree`: the workspace, or null if there is none. `tree` must outlive the result. Workspace::matches examines at
// most 300 different patterns; for each further one it returns false.
learn::Workspace workspace_of(const Tree* tree);
// Returns the paths of the workspace that a rule of `read` with this pattern would send to the script. Does not read
// the content of files. Returns an empty list if the paths cannot be determined, or if the files are more or larger
// than a request may contain.
std::vector<std::string> files_of(const Tree& workspace, const std::string& pattern);

}  // namespace band::client
