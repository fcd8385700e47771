// How fast connections go outwards.
#include "server/gateway/pace.h"

#include <doctest/doctest.h>

using namespace band::gateway;
using std::chrono::milliseconds;

namespace {

// How long each of `count` that come at `now` has to wait, in milliseconds.
std::vector<long> waits(Pace& pace, Clock::time_point now, int count) {
  std::vector<long> all;
  for (int i = 0; i < count; ++i)
    all.push_back(std::chrono::duration_cast<milliseconds>(pace.earliest_start(now) - now).count());
  return all;
}

constexpr Clock::time_point kBegin{std::chrono::hours(1)};

}  // namespace

TEST_CASE("as many as may go at once do, and the others follow evenly") {
  Pace pace(3, 10);
  CHECK(waits(pace, kBegin, 6) == std::vector<long>{0, 0, 0, 100, 200, 300});
  Pace one(1, 4);
  CHECK(waits(one, kBegin, 3) == std::vector<long>{0, 250, 500});
}

TEST_CASE("who comes no faster than that never waits") {
  Pace pace(2, 10);
  for (int i = 0; i < 1'000; ++i) CHECK(waits(pace, kBegin + milliseconds(100) * i, 1).front() == 0);
}

TEST_CASE("after a pause as many may go at once as at first, and no more") {
  Pace pace(3, 10);
  waits(pace, kBegin, 6);  // the last one's turn is 300 ms later
  CHECK(waits(pace, kBegin + milliseconds(500), 3) == std::vector<long>{0, 0, 100});
  CHECK(waits(pace, kBegin + std::chrono::hours(24), 4) == std::vector<long>{0, 0, 0, 100});
}
