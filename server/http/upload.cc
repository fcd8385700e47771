#include "server/http/upload.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "server/base/io.h"

namespace band::http {
namespace {
constexpr std::uint64_t kPage = 4096;  // the memory that a body of one byte uses
}

Status Upload::open() {
  fd_ = base::memory_file("band-body", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (!fd_) return layer_error("http", "cannot make a memfd for the body", errno);
  full_ = !connections_->charge(*connection_, kPage);
  if (!full_) charged_ = kPage;
  return done();
}

bool Upload::append(std::string_view bytes) {
  if (const std::uint64_t size = size_ + bytes.size(); size > charged_) {
    full_ = !connections_->charge(*connection_, size - charged_);
    if (full_) return false;
    charged_ = size;
  }
  full_ = !base::write_all(fd_.get(), bytes).ok();
  if (!full_) size_ += bytes.size();
  return !full_;
}

Status Upload::seal() {
  if (::fcntl(fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0)
    return layer_error("http", "cannot seal the body", errno);
  if (::lseek(fd_.get(), 0, SEEK_SET) != 0) return layer_error("http", "cannot set the offset of the body to 0", errno);
  return done();
}

}  // namespace band::http
