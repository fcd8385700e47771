#include "server/run/flusher.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>

#include "server/base/io.h"

namespace band::run {
namespace {

constexpr std::int64_t kPatienceUs = 30'000'000;
constexpr std::int64_t kLastPatienceUs = 2'000'000;

}  // namespace

Flusher::Flusher() : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), thread_([this] { run(); }) {}

Flusher::~Flusher() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ::eventfd_write(wake_.get(), 1);
  thread_.join();
}

void Flusher::take(Reply reply) {
  reply.write_some();
  if (!reply.wants_to_write()) return;  // closed by its destructor
  const std::lock_guard lock(mutex_);
  fresh_.push_back({std::move(reply), base::monotonic_us() + kPatienceUs});
  ::eventfd_write(wake_.get(), 1);
}

bool Flusher::take_new() {
  eventfd_t count = 0;
  ::eventfd_read(wake_.get(), &count);
  const std::lock_guard lock(mutex_);
  for (Unfinished& reply : fresh_) open_.push_back(std::move(reply));
  fresh_.clear();
  return !ending_;
}

void Flusher::run() {
  std::int64_t end_us = 0;
  for (;;) {
    if (!take_new() && end_us == 0) end_us = base::monotonic_us() + kLastPatienceUs;
    const std::int64_t now = base::monotonic_us();
    std::erase_if(open_, [&](Unfinished& each) {
      each.reply.write_some();
      return !each.reply.wants_to_write() || each.reply.gone() || now >= each.deadline_us;
    });
    if (end_us != 0 && (open_.empty() || now >= end_us)) return;
    std::vector<pollfd> events{{wake_.get(), POLLIN, 0}};
    for (const Unfinished& each : open_) events.push_back({each.reply.socket(), POLLOUT | POLLRDHUP, 0});
    ::poll(events.data(), events.size(), open_.empty() ? -1 : 200);
  }
}

}  // namespace band::run
