// Shared by all walks through directories of the machine: whose permissions they use, how many entries they may read,
// and which file systems they skip.
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
    200'000;  // entries per execution, in all walks together; takes about one second

// Until the Undo runs, the kernel checks file permissions of the calling thread as those of `who`: a thread with
// another file system uid has no DAC capability (setfsuid(2)).
Result<base::Undo> see_as(Who who);

// Limits the number of entries that the walks read. `go_on` is called about once a millisecond; false ends the walks
// with Code::Cancelled.
struct Budget {
  const std::function<bool()>& go_on;
  std::size_t looked_at = 0;

  Status spend(const std::string& path);
};

// Returns true for a file system that is an interface of the kernel and stores no files (proc, sysfs, ...). Mounted
// under another name, it would show files that the sandbox's own /proc and /dev leave out.
bool is_kernel_window(int fd);

// Returns true when `name` is a mount point. A clone of the mount above would show the directory beneath it.
bool is_mount_root(int dir, const std::string& name);

bool is_at_or_below(const std::string& path, const std::string& directory);
std::string joined(const std::string& dir, const std::string& name);

}  // namespace band::view
