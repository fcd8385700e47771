#include "server/view/mounts.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace band::view {
namespace {

constexpr const char* kLayer = "view";
constexpr std::uint64_t kNoLinks = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;

std::uint64_t attributes(const MountRights& rights) {
  std::uint64_t set = MOUNT_ATTR_NOSUID;
  if (!rights.writable) set |= MOUNT_ATTR_RDONLY;
  if (!rights.executable) set |= MOUNT_ATTR_NOEXEC;
  if (!rights.devices) set |= MOUNT_ATTR_NODEV;
  return set;
}

bool set(const base::Fd& fs, const char* key, const std::string& value) {
  return ::fsconfig(fs.get(), FSCONFIG_SET_STRING, key, value.c_str(), 0) == 0;
}

bool set_size(const base::Fd& fs, const TmpfsSize& size) {
  return set(fs, "size", std::to_string(size.bytes)) && set(fs, "nr_inodes", std::to_string(size.inodes));
}

}  // namespace

Status resize_tmpfs(int tree, const TmpfsSize& size) {
  const base::Fd fs(::fspick(tree, "", FSPICK_CLOEXEC | FSPICK_EMPTY_PATH));
  if (!fs) return layer_error(kLayer, "cannot select a tmpfs (fspick)", errno);
  if (!set_size(fs, size) || ::fsconfig(fs.get(), FSCONFIG_CMD_RECONFIGURE, nullptr, nullptr, 0) != 0)
    return layer_error(kLayer, "cannot resize a tmpfs to " + std::to_string(size.bytes) + " bytes", errno);
  return done();
}

Result<base::Fd> make_tmpfs(const TmpfsSize& size, const MountRights& rights) {
  const base::Fd fs(::fsopen("tmpfs", FSOPEN_CLOEXEC));
  if (!fs) return layer_error(kLayer, "cannot make a tmpfs (fsopen)", errno);
  if (!set_size(fs, size) || !set(fs, "mode", "0755") ||
      ::fsconfig(fs.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0)
    return layer_error(kLayer, "cannot make a tmpfs of " + std::to_string(size.bytes) + " bytes", errno);
  base::Fd tree(::fsmount(fs.get(), FSMOUNT_CLOEXEC, static_cast<unsigned>(attributes(rights))));
  if (!tree) return layer_error(kLayer, "cannot make a tmpfs (fsmount)", errno);
  return tree;
}

// The layers are named by descriptors: a path could contain the separators `:` and `,`, and is visible in
// /proc/self/mountinfo of every view.
Result<base::Fd> make_overlay(int directory, int below, const MountRights& rights) {
  const auto failed = [](const char* step, const char* hint) {
    return layer_error(kLayer, std::string("cannot make an overlay (") + step + ")", errno, hint);
  };
  const base::Fd fs(::fsopen("overlay", FSOPEN_CLOEXEC));
  if (!fs)
    return failed("fsopen", errno == ENODEV ? "band needs overlayfs: load the kernel's module with `modprobe overlay`, "
                                              "or use a kernel with CONFIG_OVERLAY_FS"
                                            : "");
  const auto by_descriptor = [](int fd) { return "/proc/self/fd/" + std::to_string(fd); };
  // Two layers: overlayfs refuses a single one without a directory for changes. nofollow, metacopy: xattrs of the
  // machine's files cannot lead to other files. xino=off: inode numbers are those of the file systems; with xino they
  // could be above 2^53, the largest integer that JavaScript represents exactly.
  if (!set(fs, "lowerdir", by_descriptor(directory) + ":" + by_descriptor(below)) ||
      !set(fs, "redirect_dir", "nofollow") || !set(fs, "metacopy", "off") || !set(fs, "xino", "off") ||
      ::fsconfig(fs.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0)
    return failed("fsconfig",
                  "the kernel's log (dmesg) has the reason; the directory must not be on an overlay of an "
                  "overlay, or on a file system that overlayfs does not support");
  base::Fd tree(::fsmount(fs.get(), FSMOUNT_CLOEXEC, static_cast<unsigned>(attributes(rights))));
  if (!tree) return failed("fsmount", "");
  return tree;
}

Result<base::Fd> clone_tree(int fd, bool recursive) {
  const unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | (recursive ? AT_RECURSIVE : 0u);
  base::Fd tree(::open_tree(fd, "", flags));
  if (!tree) return layer_error(kLayer, "cannot clone a mount", errno);
  return tree;
}

Status restrict_tree(int tree, const MountRights& rights, bool recursive) {
  mount_attr wanted{};
  wanted.attr_set = attributes(rights);
  // Clears noexec and nodev only if `rights` permit execution and devices. A mount that is read-only on the machine
  // stays read-only.
  if (rights.executable) wanted.attr_clr |= MOUNT_ATTR_NOEXEC;
  if (rights.devices) wanted.attr_clr |= MOUNT_ATTR_NODEV;
  // The mount becomes private, so that a later mount on the machine does not appear in a sandbox.
  wanted.propagation = MS_PRIVATE;
  if (::mount_setattr(tree, "", AT_EMPTY_PATH | (recursive ? AT_RECURSIVE : 0), &wanted, sizeof wanted) != 0)
    return layer_error(kLayer, "cannot restrict a mount", errno);
  return done();
}

Status attach(int tree, int root, const std::string& path, bool over_links) {
  BAND_TRY(base::Fd target, open_beneath(root, path, O_PATH | (over_links ? O_NOFOLLOW : 0)));
  if (::move_mount(tree, "", target.get(), "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0)
    return layer_error(kLayer, "cannot mount at /" + path, errno);
  return done();
}

Result<base::Fd> open_beneath(int root, const std::string& path, int flags, bool same_mount) {
  open_how how{};
  how.flags = static_cast<__u64>(flags | O_CLOEXEC);
  how.resolve = kNoLinks | (root == AT_FDCWD ? 0u : RESOLVE_BENEATH) | (same_mount ? RESOLVE_NO_XDEV : 0u);
  base::Fd fd(static_cast<int>(::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how)));
  if (!fd) return layer_error(kLayer, "cannot open " + path, errno);
  return fd;
}

Result<base::Fd> create_beneath(int root, const std::string& path, mode_t mode) {
  open_how how{};
  how.flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  how.mode = mode;
  how.resolve = kNoLinks | RESOLVE_BENEATH | RESOLVE_NO_XDEV;
  base::Fd fd(static_cast<int>(::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how)));
  if (!fd) return layer_error(kLayer, "cannot create /" + path, errno);
  return fd;
}

Result<base::Fd> make_directories(int root, const std::string& path) {
  BAND_TRY(base::Fd at, open_beneath(root, ".", O_PATH | O_DIRECTORY));
  for (std::size_t from = 0; from < path.size();) {
    const std::size_t slash = std::min(path.find('/', from), path.size());
    const std::string name = path.substr(from, slash - from);
    from = slash + 1;
    if (::mkdirat(at.get(), name.c_str(), 0755) != 0 && errno != EEXIST)
      return layer_error(kLayer, "cannot make /" + path, errno);
    BAND_TRY(at, open_beneath(at.get(), name, O_PATH | O_DIRECTORY, true));
  }
  return at;
}

}  // namespace band::view
