// The mounts of this process, and the paths that bind mounts add to one file.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::client {

// Both paths have no `/` at the end.
struct Mount {
  std::string id, parent;    // `parent`: the mount in which `point` is; "" if it is not listed
  std::string device, type;  // the file system's: "8:1", "ext4"
  std::string point;         // where the directory is mounted
  std::string origin;        // the device, and the path of the directory in the file system: "8:1/home/me/notes"
};

// Empty on macOS, which has no bind mounts. On Linux, returns an error (Code::PermissionDenied) if the mounts cannot be
// read, and the error of check_mounts().
Result<std::vector<Mount>> mounts();
// Parses the text of /proc/self/mountinfo (proc_pid_mountinfo(5)). Skips other lines. Pure.
std::vector<Mount> parse_mounts(const std::string& mountinfo);

// Returns an error if origin_of() would return different origins for one file: `/` is not a mount point (in a chroot),
// and its file system has a listed mount. The kernel does not list which directory of the file system `/` is.
// `root_device`: the device of `/`, by stat(2). Pure.
Status check_mounts(const std::vector<Mount>& mounts, const std::string& root_device);
// Returns the device of the file system of `path` and the path in this file system; for a path in the file system of
// `/` in a chroot only the path. All paths to a file that differ only by bind mounts have the same origin. `path` is
// absolute and without links. Pure.
std::string origin_of(const std::vector<Mount>& mounts, const std::string& path);
// Returns whether `path` is `directory`, or begins with `directory` and a `/`. Pure.
bool is_at_or_below(const std::string& path, const std::string& directory);

}  // namespace band::client
