// Mounts of a test, in a mount namespace of its process, so that no other process sees them.
#pragma once

#include <sched.h>
#include <sys/mount.h>

#include <string>

namespace band::test {

// Mounts from now on are this process's alone, and its children's.
inline bool own_mounts() {
  return ::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

// For as many files as a test makes.
inline bool mount_tmpfs(const std::string& place) {
  return ::mount("none", place.c_str(), "tmpfs", 0, "mode=755,nr_inodes=0") == 0;
}

}  // namespace band::test
