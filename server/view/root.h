// The root of a view while it is made: what the script's stage and the commands' stage are made of.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/layout/access.h"
#include "server/view/declared.h"
#include "server/view/mounts.h"

namespace band::view {

// One tmpfs through two mounts. What is made goes through the first, which nobody sees and nothing is mounted on; the
// second is read-only from the start (see restrict_tree) and carries the mounts.
struct Root {
  base::Fd make, shown;
};

// Attached at `place`, a directory of the machine, with room for kRootRoom bytes of files.
Result<Root> make_root(const std::string& place);
// Room for `bytes` of files and kRootRoom more.
Status make_room(const Root& root, std::int64_t bytes);
inline constexpr std::int64_t kRootRoom = 4 << 20;

// On the stage's own tmpfs. Paths have no leading '/'; a directory may exist.
Status make_dir(int root, const std::string& path, mode_t mode = 0755);
Status make_file(int root, const std::string& path, std::string_view content, mode_t mode);
Status make_link(int root, const std::string& target, const std::string& path);

// One of the machine's, at the same place; `device` without the `/` in front.
Status show_device(const Root& root, const std::string& device);
// Shows `source` (a path in directory `from`) at `target`, which is there.
Status show(int from, const std::string& source, const Root& root, const std::string& target,
            const MountRights& rights);

// What every view begins with: the floor's /usr and /etc, /dev, and the places of /proc, /tmp and the workspace.
Status show_machine(int floor, const Root& root, const std::vector<DeclaredMount>& declared);

// A declared path replaces nothing of the floor and gets no floor below it: both would be half of something. The list
// is sorted, so that what holds a path is mounted before it. Says in `paths` what Landlock is to grant.
Status place_declared(int floor, const Root& root, const std::vector<DeclaredMount>& declared,
                      std::vector<layout::PathRule>& paths);

}  // namespace band::view
