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

// One tmpfs with two mounts. Files are made through `make`, which is visible to no process and has no mounts on it.
// `shown` is read-only from the start (see restrict_tree) and carries the mounts.
struct Root {
  base::Fd make, shown;
};

// Makes a root, attached at `place`, a directory of the machine, with a capacity of kRootRoom bytes.
Result<Root> make_root(const std::string& place);
// Sets the capacity to kRootRoom plus `bytes`.
Status make_room(const Root& root, std::int64_t bytes);
inline constexpr std::int64_t kRootRoom = 4 << 20;

// These write to the stage's own tmpfs. Paths have no leading '/'; a directory may exist already.
Status make_dir(int root, const std::string& path, mode_t mode = 0755);
Status make_file(int root, const std::string& path, std::string_view content, mode_t mode);
Status make_link(int root, const std::string& target, const std::string& path);

// Mounts a device of the machine at the same path; `device` has no leading '/'.
Status show_device(const Root& root, const std::string& device);
// Mounts `source` (a path in directory `from`) at `target`, which must exist.
Status show(int from, const std::string& source, const Root& root, const std::string& target,
            const MountRights& rights);

// Makes the common part of every view: the floor's /usr and /etc, /dev, and the mount points of /proc, /tmp and the
// workspace.
Status show_machine(int floor, const Root& root, const std::vector<DeclaredMount>& declared);

// Mounts the declared paths. A declared path must not replace an entry of the floor, and no floor entry is shown below
// it, because both would mix the two trees. `declared` must be sorted, so that a parent directory is mounted before its
// entries. Appends the Landlock rules of the mounts to `paths`.
Status place_declared(int floor, const Root& root, const std::vector<DeclaredMount>& declared,
                      std::vector<layout::PathRule>& paths);

}  // namespace band::view
