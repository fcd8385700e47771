#include "server/gateway/event_reporter.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

#include "server/base/channel.h"

namespace band::gateway {
namespace {

constexpr std::size_t kMostDifferent = 1'024;  // entries per table; their texts and rules are under 2 KiB each
constexpr int kMostSingly = 1'024;             // connections that carried data, reported with their own time and bytes
constexpr std::size_t kMostRemembered = 65'536;  // pairs of host and port

// How long an event of report_later() waits to be sent together with others, and the bytes that may wait.
constexpr auto kLater = std::chrono::milliseconds(5);
constexpr std::size_t kMostWaiting = 32 << 10;

constexpr int kSendTimeoutMs = 5'000;  // the engine always reads, but may be swapped out

[[noreturn]] void exit_unreported() { ::_exit(1); }

}  // namespace

void EventReporter::ready(int pidfd) {
  began_ = Clock::now();
  Event ready;
  ready.start_ms = std::chrono::duration<double, std::milli>(began_.time_since_epoch()).count();
  if (!base::send(events_, encode(ready) + "\n", {pidfd}).ok()) exit_unreported();
}

void EventReporter::report(const Event& event) {
  waiting_.append(encode(event)).append("\n");
  flush();
}

void EventReporter::report_later(const Event& event) {
  if (!std::exchange(armed_, true)) {
    later_.expires_after(kLater);
    later_.async_wait([this](const std::error_code&) {
      armed_ = false;
      flush();
    });
  }
  waiting_.append(encode(event)).append("\n");
  if (waiting_.size() >= kMostWaiting) flush();
}

// Blocks the whole process: no connection may continue while its event is not reported.
void EventReporter::flush() {
  for (std::string_view left = waiting_; !left.empty();) {
    const ssize_t n = ::send(events_, left.data(), left.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n > 0) {
      left.remove_prefix(static_cast<std::size_t>(n));
    } else if (n < 0 && errno == EAGAIN) {
      pollfd room{events_, POLLOUT, 0};
      if (::poll(&room, 1, kSendTimeoutMs) <= 0) exit_unreported();
    } else if (n == 0 || errno != EINTR) {
      exit_unreported();
    }
  }
  waiting_.clear();
}

// Each different event is reported once, while the table has space.
void EventReporter::report_once(Table& table, Event event) {
  if (!table.counted.contains(event.text) && table.counted.size() < kMostDifferent) report(event);
  table.count(std::move(event), 0);
}

void EventReporter::Table::count(Event event, std::uint64_t first) {
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

void EventReporter::refused(Table& table, Event event) {
  event.kind = Event::Kind::Refused;
  event.start_ms = ms_since_start();
  report_once(table, std::move(event));
}

void EventReporter::refused(Event event) { refused(refused_, std::move(event)); }

void EventReporter::name_refused(Event event) { refused(names_refused_, std::move(event)); }

void EventReporter::failed(Event event) {
  event.kind = Event::Kind::Failed;
  report_once(failed_, std::move(event));
}

// Evidence for insist.net is never lost: the first connection of each host and port is reported. When there are too
// many pairs to remember, every connection of a new pair is reported.
void EventReporter::carries(Event event) {
  event.kind = Event::Kind::Relayed;
  event.open = true;
  auto reached = std::pair(event.host, event.port);
  const bool first =
      reached_.size() < kMostRemembered ? reached_.insert(std::move(reached)).second : !reached_.contains(reached);
  const bool singly = opened_ < kMostSingly;
  if (singly) ++opened_;
  if (first) return report(event);
  if (singly) report_later(event);
}

void EventReporter::ended(Event event) {
  event.kind = Event::Kind::Relayed;
  if (ended_ < kMostSingly) {
    ++ended_;
    return report_later(event);
  }
  // Separate sums: the sum of a connection that only sent and one that only received would look like traffic both ways.
  Table& table = event.down == 0 ? only_up_ : event.up == 0 ? only_down_ : both_ways_;
  table.count(std::move(event), 1);
}

void EventReporter::finish() {
  for (Table* table : {&names_refused_, &refused_, &failed_, &both_ways_, &only_up_, &only_down_}) {
    for (const auto& [text, event] : table->counted)
      if (event.count > 0) report(event);
    if (table->others.count == 0) continue;
    table->others.text = table->others_text;
    table->others.start_ms = ms_since_start();
    report(table->others);
  }
  Event last;
  last.kind = Event::Kind::Last;
  report(last);
}

double EventReporter::ms_since_start() const {
  return std::chrono::duration<double, std::milli>(Clock::now() - began_).count();
}

}  // namespace band::gateway
