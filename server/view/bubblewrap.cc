#include "server/view/bubblewrap.h"

#include "server/layout/places.h"

namespace band::view {

std::vector<std::string> bubblewrap_arguments(const std::string& stage_root, Holds holds) {
  std::vector<std::string> arguments = {
      kBubblewrap, "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--hostname", "band",
      // So that /proc/self/cgroup says "/" and not which slot this is and how many executions it has had.
      "--unshare-cgroup",
      // --bind would add nodev to the whole tree; every mount of the stage has its own flags.
      "--dev-bind", stage_root, "/",
      // band-init is to be pid 1 itself: its end is the end of the view.
      "--as-pid-1", "--die-with-parent",
      // For one mount of /proc and for becoming the slot's uid; band-init then drops them all.
      "--cap-drop", "ALL", "--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID",
      "--cap-add", "CAP_SETPCAP"};
  // The holder ends commands, which are the slot's; in this view's pid namespace there is nobody else.
  if (holds == Holds::Commands) arguments.insert(arguments.end(), {"--cap-add", "CAP_KILL"});
  arguments.insert(arguments.end(), {"--chdir", "/", "--", layout::kInit});
  return arguments;
}

}  // namespace band::view
