#include "server/base/io.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "server/base/wiped.h"

namespace band::base {

Result<std::string> read_all(int fd, std::size_t limit) {
  std::string bytes;
  struct stat info {};
  if (::fstat(fd, &info) == 0 && S_ISREG(info.st_mode))  // a hint: the size may change during the read
    bytes.reserve(std::min(limit, static_cast<std::size_t>(info.st_size)));
  Wiped<65536> buffer;  // a script's output may hold a secret
  for (;;) {
    const ssize_t n = ::read(fd, buffer.bytes, sizeof buffer.bytes);
    if (n == 0) return bytes;
    if (n < 0) {
      if (errno == EINTR) continue;
      return layer_error("io", "cannot read", errno);
    }
    if (bytes.size() + static_cast<std::size_t>(n) > limit)
      return layer_error("io", "cannot read: there are more than " + std::to_string(limit) + " bytes", 0);
    bytes.append(buffer.bytes, static_cast<std::size_t>(n));
  }
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return layer_error("io", "cannot open " + path, errno);
  return read_all(fd.get(), limit);
}

Status write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return layer_error("io", "cannot write", errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return done();
}

Status write_file(const std::string& path, std::string_view bytes, unsigned mode) {
  // A random name, so that a file left by a killed process does not conflict, even with the same process id.
  std::uint64_t tag = 0;
  if (::getrandom(&tag, sizeof tag, 0) != sizeof tag) return layer_error("io", "getrandom", errno);
  const std::string fresh = path + ".new." + std::to_string(tag);
  Fd fd(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!fd) return layer_error("io", "cannot create " + fresh, errno);
  auto written = write_all(fd.get(), bytes);
  if (written.ok() &&
      (::fchmod(fd.get(), mode) != 0 || ::fsync(fd.get()) != 0 || ::rename(fresh.c_str(), path.c_str()) != 0))
    written = layer_error("io", "cannot write " + path, errno);
  if (!written.ok()) ::unlink(fresh.c_str());
  return written;
}

Status write_kernel_file(const std::string& path, std::string_view text) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd) return layer_error("io", "cannot open " + path, errno);
  // One write(2): kernel files must receive their whole value in one call.
  if (::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    return layer_error("io", "cannot write " + std::string(text) + " to " + path, errno);
  return done();
}

Fd memory_file(const char* name, unsigned flags) {
  constexpr unsigned kNoExecSeal = 8;  // Debian 12's header does not have it
  Fd memory(::memfd_create(name, flags | kNoExecSeal));
  if (!memory && errno == EINVAL) memory.reset(::memfd_create(name, flags));  // an older kernel
  return memory;
}

namespace {

std::int64_t us_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

}  // namespace

bool wait_readable(int fd, std::int64_t until_us) {
  pollfd one{fd, POLLIN, 0};
  for (;;) {
    const std::int64_t left_us = std::max<std::int64_t>(until_us - monotonic_us(), 0);
    const int ready = ::poll(&one, 1, until_us < 0 ? -1 : static_cast<int>((left_us + 999) / 1000));
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
}

std::int64_t monotonic_us() { return us_of(CLOCK_MONOTONIC); }
std::int64_t thread_cpu_us() { return us_of(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace band::base
