// File times, flushing files to the medium, and a rename that never replaces a file.
#pragma once

#include <sys/stat.h>

#include <ctime>

namespace band::client {

std::timespec modification_time(const struct ::stat& file);

// Returns when the drive reports the file's bytes as stored on the medium. 0, or -1 with errno, as fsync(2).
int sync_file(int fd);

// Renames `from` to `to` in one step, and never replaces an existing `to`. Returns 0, or -1 with errno: EEXIST when
// `to` exists. On a file system without such a rename (NFS on Linux) it uses link(2) and unlink(2): after a crash in
// between, both names can exist. On one without hard links it fails with the errno of link(2). renameat2(2),
// renamex_np(2)
int rename_to_new(const char* from, const char* to);

}  // namespace band::client
