// The arguments of bubblewrap. bubblewrap makes the namespaces of a view (pid, ipc, uts, cgroup, mount) and then makes
// the stage the root of the view (pivot_root(2)). All mounts of the stage have their final rights before bubblewrap
// starts. See bwrap(1), version 0.8.
#pragma once

#include <string>
#include <vector>

namespace band::view {

inline constexpr const char* kBubblewrap = "/usr/bin/bwrap";

enum class Holds { Script, Commands };
std::vector<std::string> bubblewrap_arguments(const std::string& stage_root, Holds holds = Holds::Script);

}  // namespace band::view
