#include "server/evidence/logs.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "server/base/wiped.h"

namespace band::run {

void Log::tell(const std::string& text, ReplyWriter& reply) {
  const std::size_t room = kKeptLogBytes - kept_.size();
  const std::size_t kept = std::min(room, text.size());
  cut_ += text.size() - kept;
  if (kept == 0) return;
  kept_.append(text, 0, kept);
  reply.log(event_, text.substr(0, kept));
}

void Log::read_some(ReplyWriter& reply) {
  base::Wiped<65536> buffer;
  // 16: a pipe holds 64 KiB; one turn of the loop takes at most a megabyte.
  for (int turn = 0; pipe_ && turn < 16; ++turn) {
    const ssize_t n = ::read(pipe_.get(), buffer.bytes, sizeof buffer.bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) {
      pipe_.reset();
      return;
    }
    tell(mask_.add(std::string_view(buffer.bytes, static_cast<std::size_t>(n))), reply);
  }
}

void Log::drain(ReplyWriter& reply) {
  read_some(reply);
  pipe_.reset();
  tell(mask_.finish(), reply);
}

}  // namespace band::run
