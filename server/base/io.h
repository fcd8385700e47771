// Whole reads and writes, with EINTR handled and a cap where the other side is not trusted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::base {

// Everything of a blocking descriptor; an error when there is more than `limit` bytes.
Result<std::string> read_all(int fd, std::size_t limit);
Result<std::string> read_file(const std::string& path, std::size_t limit);
Status write_all(int fd, std::string_view bytes);

// Replaces `path` whole: a reader sees the old content or the new one (rename(2)), never a part.
Status write_file(const std::string& path, std::string_view bytes, unsigned mode);

// One short line into a kernel file (cgroup, /proc/sys); the file must exist.
Status write_kernel_file(const std::string& path, std::string_view text);

// A file in memory that cannot be made executable, where the kernel can promise that (MFD_NOEXEC_SEAL, Linux 6.3).
// `flags` as for memfd_create(2), which also gives the errors: empty, and errno.
Fd memory_file(const char* name, unsigned flags);

std::int64_t monotonic_us();
std::int64_t thread_cpu_us();  // of the calling thread: CLOCK_THREAD_CPUTIME_ID, clock_gettime(2)

}  // namespace band::base
