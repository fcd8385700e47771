// Functions that read and write whole files or strings, and two clocks. After EINTR, read_all(), read_file(),
// write_all(), write_file() and wait_readable() continue. Reads have a size limit, because input may be untrusted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::base {

// Reads a blocking descriptor until EOF. Returns an error when there are more than `limit` bytes. read_file() has the
// same limit.
Result<std::string> read_all(int fd, std::size_t limit);
Result<std::string> read_file(const std::string& path, std::size_t limit);
Status write_all(int fd, std::string_view bytes);

// Replaces the file `path` atomically (rename(2)): a reader sees the whole old content or the whole new content. The
// new file has the permissions `mode`, regardless of the umask. Syncs the file (fsync(2)) before the rename, but not
// the directory. On an error, removes the new file.
Status write_file(const std::string& path, std::string_view bytes, unsigned mode);

// Writes one short line, with one write(2), to a file of a kernel file system (cgroup, /proc/sys). The file must exist.
// A short write is an error.
Status write_kernel_file(const std::string& path, std::string_view text);

// Returns a memfd. If the kernel supports MFD_NOEXEC_SEAL (Linux 6.3), the memfd cannot be made executable. `flags`:
// see memfd_create(2). On error returns an empty Fd and sets errno.
Fd memory_file(const char* name, unsigned flags);

// Waits until `fd` is readable or has reached EOF. `until_us`: a time of monotonic_us(); -1: without a limit. Returns
// false when this did not happen in time, or when poll(2) failed. Signals do not end the wait.
bool wait_readable(int fd, std::int64_t until_us);

std::int64_t monotonic_us();   // the time of CLOCK_MONOTONIC in microseconds
std::int64_t thread_cpu_us();  // CPU time of the calling thread in microseconds

}  // namespace band::base
