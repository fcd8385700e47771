#include "client/platform/files.h"

#include <fcntl.h>
#include <unistd.h>

namespace band::client {

#ifdef __APPLE__

std::timespec modification_time(const struct ::stat& file) { return file.st_mtimespec; }

// fsync(2) of macOS only hands the bytes to the drive. Not every file system knows F_FULLFSYNC.
int sync_file(int fd) { return ::fcntl(fd, F_FULLFSYNC) == 0 ? 0 : ::fsync(fd); }

#else

std::timespec modification_time(const struct ::stat& file) { return file.st_mtim; }

int sync_file(int fd) { return ::fsync(fd); }

#endif

}  // namespace band::client
