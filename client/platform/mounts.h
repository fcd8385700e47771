// The mounts of this process, and the paths that bind mounts add to one file.
#pragma once

#include <string>
#include <vector>

namespace band::client {

// Both paths have no `/` at the end.
struct Mount {
  std::string point;   // where the directory is mounted
  std::string origin;  // the file system, and the path of the directory in it: "8:1/home/me/notes"
};

std::vector<Mount> mounts();  // empty on macOS, which has no bind mounts
// Parses the text of /proc/self/mountinfo (proc_pid_mountinfo(5)). Skips other lines. Pure.
std::vector<Mount> parse_mounts(const std::string& mountinfo);

// Returns the file system of `path`, and the path in it. All paths to a file that differ only by bind mounts have the
// same origin. `path` is absolute and without links. Pure.
std::string origin_of(const std::vector<Mount>& mounts, const std::string& path);
// Returns whether `path` is `directory`, or begins with `directory` and a `/`. Pure.
bool is_at_or_below(const std::string& path, const std::string& directory);

}  // namespace band::client
