// The root of a view while the engine builds it; shared by the script's stage and the command stage. A view is the file
// system of one side of an execution (the script, or its declared commands). A stage is the finished tree of mounts
// that becomes the view.
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

class FloorTree;

// Descriptors of the directories that a view shows: the floor, which is a directory with copies of the machine's
// programs and libraries and a minimal /etc, and the devices (overlay.h).
struct Layers {
  int floor = -1, devices = -1;
};
// The devices of every view, in /dev.
inline constexpr const char* kDevices[] = {"null", "zero", "full", "random", "urandom"};

// The files that the server makes for a view are on a tmpfs, which is attached at `place`. The view shows these files
// through a second, read-only mount of the same tmpfs, and contains no mount through which they can be written
// (restrict_tree() explains why there are two mounts). unmount_root() unmounts the tmpfs and everything below it.
struct Root {
  std::string place;
  base::Fd make;   // the directory of the tmpfs that contains the files; they are written through it
  base::Fd shown;  // the topmost mount of the view, to which all other mounts of the view are attached
};

// Makes a root at `place`, a directory of the machine, which is made if it is missing. The tmpfs has a capacity of
// kRootRoom bytes. If `tree` is null, the view shows all directories and files that are made in Root::make. Otherwise
// the view's root is a clone of this tree, and the view shows only the directories of Root::make for which show_made()
// is called. Call it on the slot's thread: it mounts in the mount namespace of the calling thread.
Result<Root> make_root(const std::string& place, const FloorTree* tree);
Status show_made(const Root& root, const std::string& directory);
void unmount_root(const std::string& place);
// Empty directories of the tmpfs, relative to `place`, for further mounts that are unmounted with the root: kWorkPlace
// for the tmpfs of the workspace, kMasksPlace for masks.h.
inline constexpr const char* kWorkPlace = "/work";
inline constexpr const char* kMasksPlace = "/masks";

// Sets the capacity of the tmpfs to kRootRoom plus `bytes`.
Status make_room(const Root& root, std::int64_t bytes);
inline constexpr std::int64_t kRootRoom = 4 << 20;

// These functions write to the tmpfs of the root: `root` is Root::make. Paths have no leading '/'. make_dir() succeeds
// if the directory already exists; make_file() also makes missing parent directories.
Status make_dir(int root, const std::string& path, mode_t mode = 0755);
Status make_file(int root, const std::string& path, std::string_view content, mode_t mode);
Status make_link(int root, const std::string& target, const std::string& path);

// Mounts the entry `device` of the directory `devices` at /dev/<device>.
Status show_device(int devices, const Root& root, const std::string& device);
// Mounts `source` (a path beneath the directory `from`, absolute if `from` is AT_FDCWD) at `target`, an existing path
// of the root.
Status show(int from, const std::string& source, const Root& root, const std::string& target,
            const MountRights& rights);

// Makes the part that all views of a floor have in common: /usr and /etc of the floor, /dev, the links of kUsrLinks,
// and the mount points /proc, /tmp and /work. A directory of the floor that contains a declared path (declared.h) is
// not mounted itself. Instead, the directory is made in the root and its entries are mounted one by one, so that the
// declared path can have a mount point in it.
Status show_machine(const Layers& layers, const Root& root, const std::vector<DeclaredMount>& declared);

// Shows further top-level entries of a command floor (the floor of a view for commands). `tops`: their names.
Status show_tops(int floor, const Root& root, const std::vector<std::string>& tops);

// Mounts the declared paths. Returns an error when a declared path is also an entry of the floor, because the mount
// would hide this entry. `declared` must be sorted, so that a parent directory is mounted before its entries. Appends
// the Landlock rules of the mounts to `paths`.
Status place_declared(int floor, const Root& root, const std::vector<DeclaredMount>& declared,
                      std::vector<layout::PathRule>& paths);

}  // namespace band::view
