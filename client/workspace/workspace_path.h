// Paths of the caller's machine as paths of the workspace.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "client/host/tree.h"

namespace band::client {

// Whether links of an absolute path are followed, with access to these directories of the machine. Ignored: for paths
// that a script has chosen, because an automounter or a remote file system can act on an access.
enum class Links { Followed, Ignored };
// Returns the path relative to the workspace, with `.` and `..` resolved: "a/b" for "./a//x/../b", and for the
// workspace's absolute path followed by "/a/b". The absolute path may contain links above its last segment. Returns ""
// for the workspace itself, and nullopt for any other path. `..` removes the segment before it, also if this is a link.
std::optional<std::string> path_in_workspace(std::string_view text, const Tree& workspace,
                                             Links links = Links::Followed);

}  // namespace band::client
