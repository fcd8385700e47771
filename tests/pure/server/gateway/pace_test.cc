// The rate limit of outgoing connections.
#include "server/gateway/pace.h"

#include <doctest/doctest.h>

using namespace band::gateway;
using std::chrono::milliseconds;

namespace {

// The waiting times, in milliseconds, of `count` connections that are requested at `now`.
std::vector<long> waits(Pace& pace, Clock::time_point now, int count) {
  std::vector<long> all;
  for (int i = 0; i < count; ++i)
    all.push_back(std::chrono::duration_cast<milliseconds>(pace.earliest_start(now) - now).count());
  return all;
}

constexpr Clock::time_point kBegin{std::chrono::hours(1)};

}  // namespace

TEST_CASE("a full burst starts immediately, and further connections follow at the rate") {
  Pace pace(3, 10);
  CHECK(waits(pace, kBegin, 6) == std::vector<long>{0, 0, 0, 100, 200, 300});
  Pace one(1, 4);
  CHECK(waits(one, kBegin, 3) == std::vector<long>{0, 250, 500});
}

TEST_CASE("connections within the rate never wait") {
  Pace pace(2, 10);
  for (int i = 0; i < 1'000; ++i) CHECK(waits(pace, kBegin + milliseconds(100) * i, 1).front() == 0);
}

TEST_CASE("after a pause one full burst is available again, and not more") {
  Pace pace(3, 10);
  waits(pace, kBegin, 6);  // the last one may start 300 ms later
  CHECK(waits(pace, kBegin + milliseconds(500), 3) == std::vector<long>{0, 0, 100});
  CHECK(waits(pace, kBegin + std::chrono::hours(24), 4) == std::vector<long>{0, 0, 0, 100});
}
