#include "server/view/walk.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace band::view {

Result<base::Undo> see_as(Who who) {
  ::syscall(SYS_setfsgid, who.gid);
  ::syscall(SYS_setfsuid, who.uid);
  base::Undo back([] {
    ::syscall(SYS_setfsuid, 0);
    ::syscall(SYS_setfsgid, 0);
  });
  if (static_cast<uid_t>(::syscall(SYS_setfsuid, -1)) != who.uid)
    return layer_error("view", "cannot set the file system uid to the slot's", EPERM);
  return back;
}

Status Budget::spend(const std::string& path) {
  if (++looked_at > kMaxDeclaredEntries)
    return layer_error("view",
                       "cannot read /" + path + ": the directories of the rules have more than " +
                           std::to_string(kMaxDeclaredEntries) + " entries",
                       0, "name a smaller directory");
  // A walk reads 256 entries in about a millisecond, so `go_on` is called about once a millisecond.
  if (looked_at % 256 == 0 && !go_on())
    return Error{.code = Code::Cancelled, .layer = "view", .doing = "the execution was cancelled"};
  return done();
}

bool is_kernel_window(int fd) {
  struct statfs info {};
  if (::fstatfs(fd, &info) != 0) return true;
  constexpr decltype(info.f_type) kConfigfs = 0x62656570, kFusectl = 0x65735543, kMqueue = 0x19800202;
  constexpr decltype(info.f_type) kWindows[] = {
      PROC_SUPER_MAGIC, SYSFS_MAGIC,      CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, DEVPTS_SUPER_MAGIC, DEBUGFS_MAGIC,
      TRACEFS_MAGIC,    SECURITYFS_MAGIC, BPF_FS_MAGIC,       SELINUX_MAGIC,       SMACK_MAGIC,        EFIVARFS_MAGIC,
      PSTOREFS_MAGIC,   BINFMTFS_MAGIC,   NSFS_MAGIC,         AUTOFS_SUPER_MAGIC,  HUGETLBFS_MAGIC,    kConfigfs,
      kFusectl,         kMqueue};
  return std::find(std::begin(kWindows), std::end(kWindows), info.f_type) != std::end(kWindows);
}

bool is_mount_root(int dir, const std::string& name) {
  struct statx info {};
  return ::statx(dir, name.c_str(), AT_SYMLINK_NOFOLLOW, STATX_TYPE, &info) != 0 ||
         (info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

bool is_at_or_below(const std::string& path, const std::string& directory) {
  return path == directory || path.rfind(directory + "/", 0) == 0;
}

std::string joined(const std::string& dir, const std::string& name) { return dir.empty() ? name : dir + "/" + name; }

}  // namespace band::view
