#include "server/http/upload.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "server/base/io.h"

namespace band::http {
namespace {
constexpr std::uint64_t kReserveStep = 1 << 20;  // for chunked bodies, whose size is not known ahead
}

bool BodyBudget::take(std::uint64_t bytes) {
  std::uint64_t free = free_;
  while (free >= bytes)
    if (free_.compare_exchange_weak(free, free - bytes)) return true;
  return false;
}

Status Upload::open() {
  fd_ = base::memory_file("band-body", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (!fd_) return layer_error("http", "memfd_create", errno);
  return done();
}

bool Upload::reserve(std::uint64_t bytes) {
  if (bytes <= reserved_) return true;
  if (!budget_->take(bytes - reserved_)) {
    full_ = true;
    return false;
  }
  reserved_ = bytes;
  return true;
}

bool Upload::append(std::string_view bytes) {
  if (size_ + bytes.size() > reserved_ && !reserve(size_ + std::max<std::uint64_t>(bytes.size(), kReserveStep)))
    return false;
  full_ = !base::write_all(fd_.get(), bytes).ok();
  if (!full_) size_ += bytes.size();
  return !full_;
}

Status Upload::seal() {
  if (::fcntl(fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0)
    return layer_error("http", "seal the body", errno);
  if (::lseek(fd_.get(), 0, SEEK_SET) != 0) return layer_error("http", "rewind the body", errno);
  return done();
}

}  // namespace band::http
