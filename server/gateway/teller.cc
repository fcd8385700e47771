#include "server/gateway/teller.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "server/base/channel.h"

namespace band::gateway {
namespace {

constexpr std::size_t kMostDifferent = 1'024;  // entries per table; their texts and rules are under 2 KiB each
constexpr int kMostSingly = 1'024;             // connections that carried data, reported with their own time and bytes
constexpr std::size_t kMostRemembered = 65'536;  // pairs of host and port

constexpr int kPatienceMs = 5'000;  // the engine always reads, but may be swapped out

[[noreturn]] void untold() { ::_exit(1); }

}  // namespace

void Teller::ready(int pidfd) {
  began_ = Clock::now();
  Event ready;
  ready.start_ms = std::chrono::duration<double, std::milli>(began_.time_since_epoch()).count();
  if (!base::send(events_, encode(ready) + "\n", {pidfd}).ok()) untold();
}

// Blocks the whole process: no connection may continue while its event is not reported.
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

// Each different event is reported once, while the table has space.
void Teller::tell_once(Table& table, Event event) {
  if (!table.counted.contains(event.text) && table.counted.size() < kMostDifferent) tell(event);
  table.count(std::move(event), 0);
}

void Teller::Table::count(Event event, std::uint64_t first) {
  auto found = counted.find(event.text);
  if (found == counted.end() && counted.size() < kMostDifferent) {
    event.count = first;
    std::string text = event.text;
    counted.emplace(std::move(text), std::move(event));
    return;
  }
  Event& sum = found != counted.end() ? found->second : others;
  sum.kind = event.kind;
  ++sum.count;
  sum.up += event.up;
  sum.down += event.down;
}

void Teller::refused(Table& table, Event event) {
  event.kind = Event::Kind::Refused;
  event.start_ms = ms_since_start();
  tell_once(table, std::move(event));
}

void Teller::refused(Event event) { refused(refused_, std::move(event)); }

void Teller::name_refused(Event event) { refused(names_refused_, std::move(event)); }

void Teller::failed(Event event) {
  event.kind = Event::Kind::Failed;
  tell_once(failed_, std::move(event));
}

// Evidence for insist.net is never lost: the first connection of each host and port is reported. When there are too
// many pairs to remember, every connection of a new pair is reported.
void Teller::carries(Event event) {
  event.kind = Event::Kind::Relayed;
  event.open = true;
  auto reached = std::pair(event.host, event.port);
  const bool first =
      reached_.size() < kMostRemembered ? reached_.insert(std::move(reached)).second : !reached_.contains(reached);
  if (first || opened_ < kMostSingly) tell(event);
  if (opened_ < kMostSingly) ++opened_;
}

void Teller::ended(Event event) {
  event.kind = Event::Kind::Relayed;
  if (ended_ < kMostSingly) {
    ++ended_;
    return tell(event);
  }
  // Separate sums: the sum of a connection that only sent and one that only received would look like traffic both ways.
  Table& table = event.down == 0 ? only_up_ : event.up == 0 ? only_down_ : both_ways_;
  table.count(std::move(event), 1);
}

void Teller::finish() {
  for (Table* table : {&names_refused_, &refused_, &failed_, &both_ways_, &only_up_, &only_down_}) {
    for (const auto& [text, event] : table->counted)
      if (event.count > 0) tell(event);
    if (table->others.count == 0) continue;
    table->others.text = table->others_text;
    table->others.start_ms = ms_since_start();
    tell(table->others);
  }
  Event last;
  last.kind = Event::Kind::Last;
  tell(last);
}

double Teller::ms_since_start() const {
  return std::chrono::duration<double, std::milli>(Clock::now() - began_).count();
}

}  // namespace band::gateway
