// Complete reads and writes, with EINTR handled, and with a size limit for untrusted input.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::base {

// Reads a blocking descriptor until EOF; returns an error when there are more than `limit` bytes.
Result<std::string> read_all(int fd, std::size_t limit);
Result<std::string> read_file(const std::string& path, std::size_t limit);
Status write_all(int fd, std::string_view bytes);

// Replaces `path` atomically: a reader sees the old content or the new one (rename(2)), not a part of it.
Status write_file(const std::string& path, std::string_view bytes, unsigned mode);

// Writes one short line to a kernel file (cgroup, /proc/sys); the file must exist.
Status write_kernel_file(const std::string& path, std::string_view text);

// Returns a memfd that cannot be made executable, if the kernel supports that (MFD_NOEXEC_SEAL, Linux 6.3). `flags` as
// for memfd_create(2). On error it returns an empty Fd and errno is set.
Fd memory_file(const char* name, unsigned flags);

std::int64_t monotonic_us();
std::int64_t thread_cpu_us();  // CPU time of the calling thread: CLOCK_THREAD_CPUTIME_ID, clock_gettime(2)

}  // namespace band::base
