// The arguments of bubblewrap. bubblewrap makes the namespaces of a view (pid, ipc, uts, cgroup, mount), makes the
// stage the root of the view (pivot_root(2)), and then starts band-init as pid 1 of the view. All mounts of the stage
// have their final rights (mounts.h) before bubblewrap starts. See bwrap(1), version 0.8.
#pragma once

#include <string>
#include <vector>

namespace band::view {

inline constexpr const char* kBubblewrap = "/usr/bin/bwrap";

// Script: for a script view. Commands: for a command view, whose band-init also gets CAP_KILL, to kill commands.
enum class Holds { Script, Commands };
std::vector<std::string> bubblewrap_arguments(const std::string& stage_root, Holds holds = Holds::Script);

}  // namespace band::view
