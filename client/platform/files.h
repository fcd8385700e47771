// Reads file times, flushes files to the storage medium, and renames without replacing a file.
#pragma once

#include <sys/stat.h>

#include <ctime>

namespace band::client {

std::timespec modification_time(const struct ::stat& file);

// Waits until the drive reports that the file's bytes are on the medium. Returns 0, or -1 with errno, as fsync(2).
int sync_file(int fd);

// Renames `from` to `to`, both in `directory`, atomically, and never replaces an existing `to` (renameat2(2),
// renameatx_np(2)). Returns 0, or
// -1 with errno: EEXIST when `to` exists. On a file system without such a rename (NFS on Linux) it calls link(2), then
// unlink(2): after a crash between these calls, both names exist. If the file system has no hard links either, it fails
// with the errno of link(2).
int rename_to_new(int directory, const char* from, const char* to);

}  // namespace band::client
