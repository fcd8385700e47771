// The events of the gateway when there are more than it reports singly.
#include "server/gateway/event_reporter.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "server/base/channel.h"

using namespace band;
using namespace band::gateway;

namespace {

constexpr int kSingly = 1'024;

Event connection(const std::string& host, std::uint16_t port, std::uint64_t up, std::uint64_t down) {
  Event event;
  event.text = host + ":" + std::to_string(port);
  event.host = host;
  event.port = port;
  event.up = up;
  event.down = down;
  return event;
}

std::vector<Event> reported_by(const std::function<void(EventReporter&)>& act) {
  auto ends = base::stream_pair();
  REQUIRE(ends.ok());
  std::string lines;
  std::thread reader([&] {
    char bytes[4096];
    for (ssize_t n = 0; (n = ::read(ends->first.get(), bytes, sizeof bytes)) > 0;)
      lines.append(bytes, static_cast<std::size_t>(n));
  });
  asio::io_context loop(1);
  EventReporter reporter(loop, ends->second.get());
  act(reporter);
  reporter.finish();
  ends->second.reset();
  reader.join();
  std::vector<Event> events;
  for (std::size_t end = 0; (end = lines.find('\n')) != std::string::npos; lines.erase(0, end + 1))
    events.push_back(*decode_event(lines.substr(0, end)));
  REQUIRE_FALSE(events.empty());
  CHECK(events.back().kind == Event::Kind::Last);  // the last event ends the report
  events.pop_back();
  return events;
}

}  // namespace

TEST_CASE("sums of one-way connections do not look like connections both ways") {
  const auto events = reported_by([](EventReporter& reporter) {
    for (int i = 0; i < kSingly; ++i) reporter.ended(connection("a.example", 80, 1, 1));
    for (int i = 0; i < 3; ++i) reporter.ended(connection("b.example", 80, 5, 0));
    for (int i = 0; i < 2; ++i) reporter.ended(connection("b.example", 80, 0, 7));
    reporter.ended(connection("b.example", 80, 1, 1));
  });
  REQUIRE(events.size() == kSingly + 3);
  const auto is = [&](std::size_t behind, std::uint64_t count, std::uint64_t up, std::uint64_t down) {
    const Event& event = events[kSingly + behind];
    CHECK(event.text == "b.example:80");
    CHECK(event.count == count);
    CHECK(event.up == up);
    CHECK(event.down == down);
  };
  is(0, 1, 1, 1);
  is(1, 3, 15, 0);
  is(2, 2, 0, 14);
}

TEST_CASE("each host and port that carried data both ways is reported, among any number of others") {
  const auto events = reported_by([](EventReporter& reporter) {
    for (int i = 0; i < 3 * kSingly; ++i) reporter.carries(connection("a.example", 80, 1, 1));
    for (std::uint16_t port = 1; port <= 2 * kSingly; ++port) reporter.carries(connection("b.example", port, 1, 1));
    reporter.carries(connection("b.example", 1, 1, 1));
  });
  CHECK(events.size() == 3 * kSingly);
  for (std::uint16_t port = 1; port <= 2 * kSingly; ++port) {
    const Event& event = events[kSingly + port - 1u];
    CHECK(event.port == port);
    CHECK(event.open);
  }
}

TEST_CASE("ends and repeated connections are sent together a little later, or before the next other event") {
  auto ends = base::stream_pair();
  REQUIRE(ends.ok());
  const auto sent = [&] {  // the events that one read finds
    std::string lines(4096, '\0');
    const ssize_t n = ::recv(ends->first.get(), lines.data(), lines.size(), MSG_DONTWAIT);
    return n < 0 ? 0 : std::count(lines.begin(), lines.begin() + n, '\n');
  };
  asio::io_context loop(1);
  EventReporter reporter(loop, ends->second.get());
  for (int i = 0; i < 3; ++i) reporter.ended(connection("a.example", 80, 1, 1));
  CHECK(sent() == 0);
  loop.run();
  CHECK(sent() == 3);
  reporter.ended(connection("a.example", 80, 1, 1));
  reporter.refused(connection("b.example", 80, 0, 0));
  CHECK(sent() == 2);
  reporter.ended(connection("a.example", 80, 1, 1));  // while the timer of the previous one runs
  loop.restart();
  loop.run();
  CHECK(sent() == 1);
  for (int i = 0; i < 3; ++i) reporter.carries(connection("a.example", 80, 1, 1));
  CHECK(sent() == 1);  // the first one of a host and port is sent immediately
  loop.restart();
  loop.run();
  CHECK(sent() == 2);
  const std::string host(1'500, 'h');
  for (int i = 0; i < 30; ++i) reporter.ended(connection(host, 80, 1, 1));
  CHECK(sent() > 0);  // many bytes do not wait
}

TEST_CASE("failures beyond the table's size are counted") {
  const auto events = reported_by([](EventReporter& reporter) {
    for (std::uint16_t port = 1; port <= kSingly + 5; ++port) reporter.failed(connection("a.example", port, 0, 0));
    for (int i = 0; i < 4; ++i) reporter.failed(connection("a.example", 7, 0, 0));
  });
  REQUIRE(events.size() == kSingly + 2);
  CHECK(events[kSingly].port == 7);
  CHECK(events[kSingly].count == 4);
  CHECK(events[kSingly + 1].text == "further connections failed");
  CHECK(events[kSingly + 1].count == 5);
}
