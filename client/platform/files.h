// Times of files, files that survive a loss of power, and names that are taken once.
#pragma once

#include <sys/stat.h>

#include <ctime>

namespace band::client {

std::timespec modification_time(const struct ::stat& file);

// Returns when the bytes are on the medium, as far as the drive tells. 0, or -1 with errno, as fsync(2).
int sync_file(int fd);

// Renames a file where nothing has the name `to`, in one step. 0, or -1 with errno: EEXIST when something has it. A
// file system that cannot (NFS on Linux) gets link(2) and unlink(2): then both names can be there after a crash. One
// that has neither fails with what link(2) says. renameat2(2), renamex_np(2)
int rename_to_new(const char* from, const char* to);

}  // namespace band::client
