// The caller's files, as learn asks about them.
#pragma once

#include <string>
#include <vector>

#include "client/host/tree.h"
#include "client/learn/file_lines.h"

namespace band::client {

// `tree`: null when there is no workspace; else it lives longer.
learn::Workspace workspace_of(const Tree* tree);
// What the pattern opens of the workspace, by names only. Empty also where that cannot be told, or is too much to ship.
std::vector<std::string> files_of(const Tree& workspace, const std::string& pattern);

}  // namespace band::client
