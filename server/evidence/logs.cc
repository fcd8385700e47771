#include "server/evidence/logs.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "server/base/wiped.h"

namespace band::run {

void Log::send(const std::string& text, ReplyWriter& reply) {
  if (whole_) {
    if (!text.empty()) reply.bytes(event_, text);
  } else {
    const std::size_t sent = std::min(kKeptLogBytes - sent_, text.size());
    if (sent > 0) reply.log(event_, text.substr(0, sent));
    sent_ += sent;
  }
  const std::size_t first = std::min(kKeptLogBytes - kKeptEndBytes - kept_.size(), text.size());
  kept_.append(text, 0, first);
  end_.append(text, first);
  if (end_.size() > 2 * kKeptEndBytes) shorten_end();
}

void Log::shorten_end() {
  std::size_t from = end_.size() - std::min(end_.size(), kKeptEndBytes);
  while (from > 0 && from < end_.size() && (static_cast<unsigned char>(end_[from]) & 0xC0) == 0x80) ++from;
  cut_ += from;
  end_.erase(0, from);
}

// Removes an incomplete UTF-8 character from the end of the kept beginning: its other bytes are in the missing part.
void Log::drop_begun_character() {
  std::size_t whole = 0;
  for (std::size_t at = kept_.size() - std::min<std::size_t>(kept_.size(), 4); at < kept_.size();) {
    const auto lead = static_cast<unsigned char>(kept_[at]);
    const std::size_t size = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    if (at + size > kept_.size()) break;
    at += size;
    whole = at;
  }
  if (whole == 0 || whole == kept_.size()) return;
  cut_ += kept_.size() - whole;
  kept_.resize(whole);
}

void Log::join_end() {
  shorten_end();
  if (cut_ > 0) drop_begun_character();
  if (cut_ > 0) kept_ += "\n[" + std::to_string(cut_) + " bytes are missing here]\n";
  kept_ += std::exchange(end_, "");
}

void Log::read_some(ReplyWriter& reply) { read(reply, false); }

void Log::read(ReplyWriter& reply, bool last) {
  base::Wiped<65536> buffer;
  // 16 reads of 64 KiB, the size of a pipe: at most 1 MiB per call.
  for (int turn = 0; pipe_ && turn < 16; ++turn) {
    if (whole_ && !last && is_full(reply)) return;
    const ssize_t n = ::read(pipe_.get(), buffer.bytes, sizeof buffer.bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) {
      pipe_.reset();
      return;
    }
    send(mask_.add(std::string_view(buffer.bytes, static_cast<std::size_t>(n))), reply);
  }
}

void Log::drain(ReplyWriter& reply) {
  read(reply, true);
  pipe_.reset();
  send(mask_.finish(), reply);
  join_end();
}

}  // namespace band::run
