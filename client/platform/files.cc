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

static int rename_exclusively(int directory, const char* from, const char* to) {
  return ::renameatx_np(directory, from, directory, to, RENAME_EXCL);
}

#else

std::timespec modification_time(const struct ::stat& file) { return file.st_mtim; }

int sync_file(int fd) { return ::fsync(fd); }

static int rename_exclusively(int directory, const char* from, const char* to) {
  return ::renameat2(directory, from, directory, to, RENAME_NOREPLACE);
}

#endif

int rename_to_new(int directory, const char* from, const char* to) {
  if (rename_exclusively(directory, from, to) == 0) return 0;
  const bool unknown = errno == EINVAL || errno == ENOSYS || errno == ENOTSUP;
  return unknown && ::linkat(directory, from, directory, to, 0) == 0 ? ::unlinkat(directory, from, 0) : -1;
}

}  // namespace band::client
