// The queries of client/learn about the caller's files.
#pragma once

#include <string>
#include <vector>

#include "client/host/tree.h"
#include "client/learn/file_lines.h"

namespace band::client {

// `tree` must outlive the result. It is null when there is no workspace.
learn::Workspace workspace_of(const Tree* tree);
// Returns the paths of the workspace that the pattern opens; reads no content. Empty also when that cannot be
// determined, or when it exceeds what a request can carry.
std::vector<std::string> files_of(const Tree& workspace, const std::string& pattern);

}  // namespace band::client
