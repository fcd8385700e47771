// The messages from the engine to the zygote, the process from which each band-init is cloned (zygote.h). The first
// message is the encoded seccomp filter, without descriptors. The zygote answers it with kReady, its only message. Each
// further message is an order to make one view (the namespaces in which the script runs, or its declared commands),
// with band-init as its pid 1.
//
// Descriptors attached to an order, in this sequence:
// - band-init's end of the control socket (setup.h);
// - the three files that become the descriptors 0, 1 and 2 of band-init;
// - the view's tree of mounts, cloned with open_tree(2);
// - the slot's network namespace;
// - if `for_script` is 1, the read end of the pipe for the Script (setup.h);
// - if `in_group` is 1, the directory of a control group v2;
// - the files `tasks` of control groups v1 (slot::Groups); Order::tasks is their number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "schemas/core/result.h"
#include "server/syscalls/syscalls.h"

namespace band::init {

inline constexpr int kOrdersFd = 3;  // the zygote's end of the channel for orders (SOCK_SEQPACKET)
// Paths in the mount namespace of the zygote.
inline constexpr const char* kProgram = "/band-init";
inline constexpr const char* kViewPlace = "/view";  // an empty directory, at which the tree of the new view is mounted

inline constexpr std::string_view kReady = "ready";

std::string encode(const syscalls::Filter& filter);
Result<syscalls::Filter> decode_filter(std::string_view bytes);

struct Order {
  std::uint32_t for_script = 0;  // 1: the view is a script view
  std::uint32_t in_group = 0;    // 1: clone3(2) creates band-init in a control group v2
  std::uint32_t tasks = 0;       // number of `tasks` files of control groups v1, at most kMostTasks
};
inline constexpr std::uint32_t kMostTasks = 3;
inline constexpr std::size_t kMostOrderFds = 8 + kMostTasks;

}  // namespace band::init
