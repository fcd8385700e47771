// What walks through directories of the machine share: whose eyes they see with, how much they may look at, and where
// they do not go.
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

inline constexpr std::size_t kMaxDeclaredEntries = 200'000;  // looked at by all walks together; a second

// Until its end the kernel checks host permissions of the calling thread as if it were `who`: a thread with another
// file system uid has no DAC capability (setfsuid(2)).
Result<base::Undo> see_as(Who who);

// How much the walks may look at, and whether anybody still waits for them. `go_on` is asked every millisecond or so;
// false ends them with Code::Cancelled.
struct Budget {
  const std::function<bool()>& go_on;
  std::size_t looked_at = 0;

  Status spend(const std::string& path);
};

// File systems that are windows into the kernel and store nothing: shown under another name they would open what the
// sandbox's own /proc and /dev leave out.
bool is_kernel_window(int fd);

// Is something mounted exactly there? A clone of the mount above would show what lies beneath it.
bool is_mount_root(int dir, const std::string& name);

bool is_at_or_below(const std::string& path, const std::string& directory);
std::string joined(const std::string& dir, const std::string& name);

}  // namespace band::view
