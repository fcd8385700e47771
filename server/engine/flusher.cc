#include "server/engine/flusher.h"

#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>

#include <algorithm>

#include "server/base/io.h"

namespace band::run {
namespace {

constexpr std::int64_t kTimeoutAtStopUs = 2'000'000;
// An answer with more unsent bytes does not get the longer deadline of stall_ms(), because all clients share the memory
// for large answers. The limit is sufficient for the rest of a stream and a result without large files.
constexpr std::size_t kMostBytesForLongDeadline = 4u << 20;

}  // namespace

// The number of lines is limited, because callers can cause any number of dropped answers.
void Flusher::give_up(const ReplyWriter& reply, const char* why) {
  const std::int64_t now = base::monotonic_us();
  if (const std::uint64_t more = lines_.left_out(now); more > 0) spdlog::info("{} more answers were dropped", more);
  if (lines_.spend(now))
    spdlog::info("an answer of {} bytes was dropped after {} bytes were sent: {}", reply.held(), reply.taken(), why);
}

Flusher::Flusher(Bounds bounds)
    : bounds_(bounds), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), thread_([this] { run(); }) {}

Flusher::~Flusher() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ::eventfd_write(wake_.get(), 1);
  thread_.join();
}

void Flusher::add(ReplyWriter reply) {
  reply.write_some();
  if (!reply.wants_to_write()) return;  // the destructor of `reply` closes the socket
  const std::size_t taken = reply.taken();
  const std::lock_guard lock(mutex_);
  fresh_.push_back({std::move(reply), base::monotonic_us(), taken});
  ::eventfd_write(wake_.get(), 1);
}

bool Flusher::adopt_new() {
  eventfd_t count = 0;
  ::eventfd_read(wake_.get(), &count);
  const std::lock_guard lock(mutex_);
  for (Unfinished& reply : fresh_) open_.push_back(std::move(reply));
  fresh_.clear();
  return !ending_;
}

std::int64_t Flusher::usual_deadline_us(const Unfinished& each) const {
  const auto taken = static_cast<std::int64_t>(each.reply.taken() - each.taken_before);
  return each.since_us + bounds_.timeout_us + taken * 1'000'000 / bounds_.bytes_per_second;
}

std::int64_t Flusher::deadline_us(const Unfinished& each) const {
  const std::int64_t usual = usual_deadline_us(each);
  if (each.reply.held() > kMostBytesForLongDeadline) return usual;
  return std::max(usual, each.since_us + each.reply.stall_ms() * 1000);
}

void Flusher::drop_done(std::int64_t now_us) {
  std::erase_if(open_, [&](Unfinished& each) {
    each.reply.write_some();
    if (!each.reply.wants_to_write() || each.reply.gone()) return true;
    if (now_us < deadline_us(each)) return false;
    give_up(each.reply, "the client reads too slowly");
    return true;
  });
}

// The last remaining answer is kept regardless of its size, which the limits of its execution bound.
void Flusher::drop_beyond_budget() {
  std::size_t held = 0;
  for (const Unfinished& each : open_) held += each.reply.held();
  while (held > bounds_.bytes && open_.size() > 1) {
    const auto first = std::min_element(open_.begin(), open_.end(), [this](const Unfinished& a, const Unfinished& b) {
      // The longer deadline of stall_ms() is not used here: answers with this deadline must not cause that answers of
      // other clients are dropped.
      return usual_deadline_us(a) < usual_deadline_us(b);
    });
    give_up(first->reply, "answers for slow clients exceed the memory budget");
    held -= first->reply.held();
    open_.erase(first);
  }
}

int Flusher::wait_ms(std::int64_t end_us) const {
  if (open_.empty()) return -1;
  std::int64_t until = end_us;
  for (const Unfinished& each : open_) until = until == 0 ? deadline_us(each) : std::min(until, deadline_us(each));
  return static_cast<int>(std::clamp<std::int64_t>((until - base::monotonic_us()) / 1000 + 1, 0, 60'000));
}

void Flusher::run() {
  std::int64_t end_us = 0;
  for (;;) {
    if (!adopt_new() && end_us == 0) end_us = base::monotonic_us() + kTimeoutAtStopUs;
    const std::int64_t now = base::monotonic_us();
    drop_done(now);
    drop_beyond_budget();
    if (end_us != 0 && (open_.empty() || now >= end_us)) return;
    std::vector<pollfd> events{{wake_.get(), POLLIN, 0}};
    for (const Unfinished& each : open_) events.push_back({each.reply.socket(), POLLOUT | POLLRDHUP, 0});
    ::poll(events.data(), events.size(), wait_ms(end_us));
  }
}

}  // namespace band::run
