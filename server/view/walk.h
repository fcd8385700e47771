// Shared by all walks through directories of the machine: with whose permissions a walk reads, how many entries it may
// read, and which file systems it skips.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>

#include "schemas/core/result.h"
#include "server/base/undo.h"

namespace band::view {

struct Who {
  uid_t uid = 0;
  gid_t gid = 0;
};

inline constexpr std::size_t kMaxDeclaredEntries =
    200'000;  // entries per execution, in all walks together; reading them needs about one second

// Until the returned Undo runs, the kernel gives the calling thread only the file permissions of `who`, because a
// thread whose file system uid is not 0 has no DAC capability (setfsuid(2)).
Result<base::Undo> see_as(Who who);

// Limits the number of entries that the walks read. `go_on` is called about once a millisecond; if it returns false,
// the walks end with Code::Cancelled.
struct Budget {
  const std::function<bool()>& go_on;
  std::size_t looked_at = 0;

  Status spend(const std::string& path);
};

// Returns true when `fd` is on a *kernel window*: a file system that is an interface of the kernel and stores no files
// (proc, sysfs, ...). A kernel window is never shown in a view, because it would show files that the sandbox's own
// /proc and /dev leave out.
bool is_kernel_window(int fd);

// Returns true when `name` in the directory `dir` is a mount point. A clone of the mount that contains `dir` would not
// include what is mounted there: it would show the directory beneath the mount point.
bool is_mount_root(int dir, const std::string& name);

bool is_at_or_below(const std::string& path, const std::string& directory);
std::string joined(const std::string& dir, const std::string& name);

}  // namespace band::view
