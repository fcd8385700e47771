// bubblewrap's arguments. It makes the pid, ipc, uts and mount namespaces of a view and pivots into the stage; all
// that is in the stage has its final rights already. See bwrap(1), version 0.8.
#pragma once

#include <string>
#include <vector>

namespace band::view {

inline constexpr const char* kBubblewrap = "/usr/bin/bwrap";

enum class Holds { Script, Commands };
std::vector<std::string> bubblewrap_arguments(const std::string& stage_root, Holds holds = Holds::Script);

}  // namespace band::view
