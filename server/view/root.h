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

// One tmpfs with two mounts. Files are made through the mount `make`, which is detached (mounts.h), so that no process
// of the view can see it. The view shows the mount `shown`, which is read-only from the start (restrict_tree() explains
// why this needs a second mount). All other mounts of the view are attached to `shown`.
struct Root {
  base::Fd make, shown;
};

// Makes a root with a capacity of kRootRoom bytes and attaches its mount `shown` at `place`, a directory of the
// machine.
Result<Root> make_root(const std::string& place);
// Sets the capacity to kRootRoom plus `bytes`.
Status make_room(const Root& root, std::int64_t bytes);
inline constexpr std::int64_t kRootRoom = 4 << 20;

// These functions write to the tmpfs of the root: `root` is Root::make. Paths have no leading '/'. make_dir() succeeds
// if the directory already exists; make_file() also makes missing parent directories.
Status make_dir(int root, const std::string& path, mode_t mode = 0755);
Status make_file(int root, const std::string& path, std::string_view content, mode_t mode);
Status make_link(int root, const std::string& target, const std::string& path);

// Mounts a device of the machine at its own path. `device` is the path without the leading '/'.
Status show_device(const Root& root, const std::string& device);
// Mounts `source` (a path beneath the directory `from`) at `target`, an existing path of the root.
Status show(int from, const std::string& source, const Root& root, const std::string& target,
            const MountRights& rights);

// Makes the part that all views have in common: /usr and /etc of the floor, /dev, and the mount points of /proc, /tmp
// and the workspace. A directory of the floor that contains a declared path is not mounted itself. Instead, the
// directory is made in the root and its entries are mounted one by one, so that the declared path can have a mount
// point in it.
Status show_machine(int floor, const Root& root, const std::vector<DeclaredMount>& declared);

// Mounts the declared paths. Returns an error when a declared path is also an entry of the floor, because the mount
// would hide this entry. `declared` must be sorted, so that a parent directory is mounted before its entries. Appends
// the Landlock rules of the mounts to `paths`.
Status place_declared(int floor, const Root& root, const std::vector<DeclaredMount>& declared,
                      std::vector<layout::PathRule>& paths);

}  // namespace band::view
