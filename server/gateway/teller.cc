#include "server/gateway/teller.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "server/base/channel.h"

namespace band::gateway {
namespace {

constexpr std::size_t kMostRefusals = 1'024;  // different ones; their texts and rules are under 2 KiB each

constexpr int kPatienceMs = 5'000;  // the engine reads all the time, but may be swapped out

[[noreturn]] void untold() { ::_exit(1); }

}  // namespace

void Teller::ready(int pidfd) {
  began_ = Clock::now();
  if (!base::send(events_, encode(Event{}) + "\n", {pidfd}).ok()) untold();
}

// Nothing else happens meanwhile: what is not told must not go on.
void Teller::tell(const Event& event) {
  const std::string line = encode(event) + "\n";
  for (std::string_view left = line; !left.empty();) {
    const ssize_t n = ::send(events_, left.data(), left.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n > 0) {
      left.remove_prefix(static_cast<std::size_t>(n));
    } else if (n < 0 && errno == EAGAIN) {
      pollfd room{events_, POLLOUT, 0};
      if (::poll(&room, 1, kPatienceMs) <= 0) untold();
    } else if (n == 0 || errno != EINTR) {
      untold();
    }
  }
}

void Teller::refused(Event event) {
  event.kind = Event::Kind::Refused;
  event.start_ms = ms_since_start();
  if (const auto seen = refused_.find(event.text); seen != refused_.end()) {
    ++seen->second.untold;
  } else if (refused_.size() < kMostRefusals) {
    tell(event);
    Seen& seen = refused_[event.text];  // the key is copied before the event is moved
    seen.event = std::move(event);
  } else {
    ++others_;
  }
}

void Teller::finish() {
  for (auto& [text, seen] : refused_) {
    if (seen.untold == 0) continue;
    seen.event.count = seen.untold;
    tell(seen.event);
  }
  if (others_ == 0) return;
  Event rest;
  rest.kind = Event::Kind::Refused;
  rest.text = "further names and connections refused";
  rest.start_ms = ms_since_start();
  rest.count = others_;
  tell(rest);
}

double Teller::ms_since_start() const {
  return std::chrono::duration<double, std::milli>(Clock::now() - began_).count();
}

}  // namespace band::gateway
