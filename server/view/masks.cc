#include "server/view/masks.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "server/base/undo.h"
#include "server/view/mounts.h"
#include "server/view/root.h"
#include "server/view/walk.h"

namespace band::view {
namespace {

constexpr const char* kLayer = "view";
constexpr const char* kNothing = "nothing";  // the empty file that masks files

// Returns the directory that a mask shows; it is on the tmpfs of the masks.
std::string directory_of(const std::vector<DeclaredMount>& sorted, const DeclaredMount& mask) {
  return std::to_string(&mask - sorted.data());
}

Status make_place(int masks, const std::vector<DeclaredMount>& sorted, const DeclaredMount& mask,
                  const DeclaredMount& mount) {
  const std::string place = directory_of(sorted, mask) + mount.place().substr(mask.place().size());
  if (!mount.directory) return make_file(masks, place, "", 0444);
  BAND_TRY(const base::Fd made, make_directories(masks, place));
  return done();
}

Status make_places(int masks, const std::vector<DeclaredMount>& sorted) {
  BAND_CHECK(make_file(masks, kNothing, "", 0444));
  for (const DeclaredMount& mount : sorted)
    if (mount.empty && mount.directory) BAND_CHECK(make_dir(masks, directory_of(sorted, mount)));
  std::vector<const DeclaredMount*> holders;  // the parent directories of the next path, the nearest last
  for (const DeclaredMount& mount : sorted) {
    while (!holders.empty() && !is_at_or_below(mount.place(), holders.back()->place())) holders.pop_back();
    if (!holders.empty() && holders.back()->empty) BAND_CHECK(make_place(masks, sorted, *holders.back(), mount));
    if (mount.directory) holders.push_back(&mount);
  }
  return done();
}

bool is_same_mount_root(int tree, int place) {
  struct statx mask {
  }, found{};
  return ::statx(tree, "", AT_EMPTY_PATH, STATX_INO, &mask) == 0 &&
         ::statx(place, "", AT_EMPTY_PATH, STATX_INO, &found) == 0 &&
         (found.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0 && mask.stx_ino == found.stx_ino &&
         mask.stx_dev_major == found.stx_dev_major && mask.stx_dev_minor == found.stx_dev_minor;
}

}  // namespace

Status make_masks(const std::string& place, std::vector<DeclaredMount>& declared) {
  if (std::none_of(declared.begin(), declared.end(), [](const DeclaredMount& mount) { return mount.empty; }))
    return done();
  BAND_TRY(const base::Fd masks, make_tmpfs({4 << 20, 8192}, {.writable = true}));
  // The tmpfs is attached temporarily, because before Linux 6.15 only an attached mount can be cloned.
  BAND_CHECK(attach(masks.get(), AT_FDCWD, place));
  const base::Undo detach([&] { ::umount2(place.c_str(), MNT_DETACH); });
  BAND_CHECK(make_places(masks.get(), declared));
  for (DeclaredMount& mount : declared) {
    if (!mount.empty) continue;
    BAND_TRY(const base::Fd source,
             open_beneath(masks.get(), mount.directory ? directory_of(declared, mount) : kNothing, O_PATH));
    BAND_TRY(mount.tree, clone_tree(source.get(), false));
    BAND_CHECK(restrict_tree(mount.tree.get(), {}, false));
  }
  return done();
}

Status check_masks(int root, const std::vector<DeclaredMount>& declared) {
  for (const DeclaredMount& mount : declared) {
    if (mount.denied.empty()) continue;
    const auto found = open_beneath(root, mount.place(), O_PATH | O_NOFOLLOW);
    if (!found.ok() || !is_same_mount_root(mount.tree.get(), found->get()))
      return layer_error(
          kLayer,
          "/" + mount.path + " (`deny: " + mount.denied +
              "`) is no longer hidden: the path was removed, renamed or replaced on the machine while the script ran",
          0,
          "run the script again; while a script runs, do not change a denied path in a directory that the script may "
          "write to");
  }
  return done();
}

}  // namespace band::view
