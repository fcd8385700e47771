// Answers the questions of client/learn about files of the workspace.
#pragma once

#include <string>
#include <vector>

#include "client/host/tree.h"
#include "client/learn/file_lines.h"

namespace band::client {

// `tree` must outlive the result; null: there is no workspace.
learn::Workspace workspace_of(const Tree* tree);
// Returns the paths of the workspace that a rule of `read` with this pattern would send to the script. Does not read
// the content of files. Also returns an empty list if the paths cannot be determined, or if there are more than a
// request may contain.
std::vector<std::string> files_of(const Tree& workspace, const std::string& pattern);

}  // namespace band::client
