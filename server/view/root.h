// The root of a view while it is built; shared by the script's stage and the command stage.
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

// One tmpfs with two mounts. Files are made through `make`: no process can see this mount, and nothing is mounted on
// it. The view shows the mount `shown`: it is read-only from the start (see restrict_tree()), and all other mounts are
// attached to it.
struct Root {
  base::Fd make, shown;
};

// Makes a root with a capacity of kRootRoom bytes and attaches it at `place`, a directory of the machine.
Result<Root> make_root(const std::string& place);
// Sets the capacity to kRootRoom plus `bytes`.
Status make_room(const Root& root, std::int64_t bytes);
inline constexpr std::int64_t kRootRoom = 4 << 20;

// These functions write to the tmpfs of the root: `root` is Root::make. Paths have no leading '/'. A directory may
// already exist.
Status make_dir(int root, const std::string& path, mode_t mode = 0755);
Status make_file(int root, const std::string& path, std::string_view content, mode_t mode);
Status make_link(int root, const std::string& target, const std::string& path);

// Mounts a device of the machine at its own path. `device` is the path without the leading '/'.
Status show_device(const Root& root, const std::string& device);
// Mounts `source` (a path in the directory `from`) at `target` in the root. `target` must exist.
Status show(int from, const std::string& source, const Root& root, const std::string& target,
            const MountRights& rights);

// Makes the part that all views have in common: /usr and /etc of the floor, /dev, and the mount points of /proc, /tmp
// and the workspace.
Status show_machine(int floor, const Root& root, const std::vector<DeclaredMount>& declared);

// Mounts the declared paths. Returns an error when a declared path is also an entry of the floor: the mount would hide
// the entry of the floor, or show it inside the machine's directory. `declared` must be sorted, so that a parent
// directory is mounted before its entries. Appends the Landlock rules of the mounts to `paths`.
Status place_declared(int floor, const Root& root, const std::vector<DeclaredMount>& declared,
                      std::vector<layout::PathRule>& paths);

}  // namespace band::view
