// Times of files, and files that survive a loss of power.
#pragma once

#include <sys/stat.h>

#include <ctime>

namespace band::client {

std::timespec modification_time(const struct ::stat& file);

// Returns when the bytes are on the medium, as far as the drive tells. 0, or -1 with errno, as fsync(2).
int sync_file(int fd);

}  // namespace band::client
