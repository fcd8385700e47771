#include "server/view/bubblewrap.h"

#include "server/layout/places.h"

namespace band::view {

std::vector<std::string> bubblewrap_arguments(const std::string& stage_root, Holds holds) {
  std::vector<std::string> arguments = {
      kBubblewrap, "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--hostname", "band",
      // So that /proc/self/cgroup contains "/" instead of the slot's number and its count of executions.
      "--unshare-cgroup",
      // --bind would add nodev to the whole tree; every mount of the stage has its own flags.
      "--dev-bind", stage_root, "/",
      // band-init itself must be pid 1: when it exits, the view ends.
      "--as-pid-1", "--die-with-parent",
      // band-init needs these to mount /proc and to change to the slot's uid; then it drops them.
      "--cap-drop", "ALL", "--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID",
      "--cap-add", "CAP_SETPCAP"};
  // The holder kills commands, which run as the slot's uid. The view's pid namespace has no other processes.
  if (holds == Holds::Commands) arguments.insert(arguments.end(), {"--cap-add", "CAP_KILL"});
  arguments.insert(arguments.end(), {"--chdir", "/", "--", layout::kInit});
  return arguments;
}

}  // namespace band::view
