#include "client/platform/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace band::client {

#ifdef __APPLE__

std::timespec modification_time(const struct ::stat& file) { return file.st_mtimespec; }

// On macOS, fsync(2) only sends the bytes to the drive; F_FULLFSYNC also flushes the drive. Some file systems do not
// support F_FULLFSYNC.
int sync_file(int fd) { return ::fcntl(fd, F_FULLFSYNC) == 0 ? 0 : ::fsync(fd); }

static int rename_exclusively(const char* from, const char* to) { return ::renamex_np(from, to, RENAME_EXCL); }

#else

std::timespec modification_time(const struct ::stat& file) { return file.st_mtim; }

int sync_file(int fd) { return ::fsync(fd); }

static int rename_exclusively(const char* from, const char* to) {
  return ::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}

#endif

int rename_to_new(const char* from, const char* to) {
  if (rename_exclusively(from, to) == 0) return 0;
  const bool unknown = errno == EINVAL || errno == ENOSYS || errno == ENOTSUP;
  return unknown && ::link(from, to) == 0 ? ::unlink(from) : -1;
}

}  // namespace band::client
