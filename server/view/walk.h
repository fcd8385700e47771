// Functions that all walks use. A *walk* lists directories of the machine to find the paths that match the patterns of
// rules. This header defines with whose permissions a walk reads, how many entries it may read, and which file systems
// it skips.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>

#include "schemas/core/result.h"
#include "server/base/undo.h"

namespace band::view {

// User and group id, usually those of the slot, with whose permissions a walk reads.
struct Who {
  uid_t uid = 0;
  gid_t gid = 0;
};

// Limit for the sum of the entries that all walks with one Budget read. Reading 200,000 entries takes about one second.
inline constexpr std::size_t kMaxDeclaredEntries = 200'000;

// Until the returned Undo runs (at the latest when it is destroyed), the calling thread has only the file permissions
// of `who`: when the file system uid changes from 0 to another uid, the kernel removes the capabilities that override
// file permissions (capabilities(7), setfsuid(2)).
Result<base::Undo> see_as(Who who);

// Limits the number of entries that the walks read to kMaxDeclaredEntries. `go_on` is called about once a millisecond;
// if it returns false, the walks end with Code::Cancelled.
struct Budget {
  const std::function<bool()>& go_on;
  std::size_t looked_at = 0;

  // Call it for each entry. `path`: the directory, for the error. Returns an error when the limit is exceeded.
  Status spend(const std::string& path);
};

// Returns true when `fd` is on a *kernel window*, or if this cannot be determined. A kernel window is a file system
// that is an interface of the kernel and stores no files (proc, sysfs, ...). The machine's kernel windows are never
// shown in a view, because they contain files that the sandbox's own /proc and /dev leave out.
bool is_kernel_window(int fd);

// Returns true when `name` in the directory `dir` is a mount point, or if this cannot be determined. A clone of the
// mount that contains `dir` would show the empty mount point, or old files in it, instead of the mounted file system.
bool is_mount_root(int dir, const std::string& name);

// Compares whole segments: "a/bc" is not below "a/b".
bool is_at_or_below(const std::string& path, const std::string& directory);
// Returns `dir`/`name`; returns `name` when `dir` is "".
std::string joined(const std::string& dir, const std::string& name);

}  // namespace band::view
