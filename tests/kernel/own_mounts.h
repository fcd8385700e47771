// Mounts of a test, in a separate mount namespace, so that no other process sees them.
#pragma once

#include <sched.h>
#include <sys/mount.h>

#include <string>

namespace band::test {

// Moves this process into a new mount namespace: later mounts are visible only to this process and its child processes.
// Returns false on failure.
inline bool own_mounts() {
  return ::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

// Mounts a tmpfs without a limit on inodes.
inline bool mount_tmpfs(const std::string& place) {
  return ::mount("none", place.c_str(), "tmpfs", 0, "mode=755,nr_inodes=0") == 0;
}

}  // namespace band::test
