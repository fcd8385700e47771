#include "server/execution/boosts.h"

#include <doctest/doctest.h>

using namespace band;
using namespace band::run;

namespace {

constexpr std::int64_t kMs = 1'000, kSecond = 1'000'000, kStart = 5 * kSecond;

// Simulates consecutive executions of one token during `us`, each of `length_us` and charged for all of it. Returns the
// total time that was boosted.
std::int64_t boosted(std::int64_t us, std::int64_t length_us) {
  Boosts boosts;
  std::int64_t in_all = 0;
  for (std::int64_t now = kStart; now < kStart + us; now += length_us) {
    if (!boosts.allowed("a", now)) continue;
    boosts.charge("a", length_us, now + length_us);
    in_all += length_us;
  }
  return in_all;
}

}  // namespace

TEST_CASE("a token is boosted for its credit and a third of the time, regardless of the length of its executions") {
  for (const std::int64_t length : {1 * kMs, 7 * kMs, 106 * kMs}) {
    const std::int64_t share = boosted(30 * kSecond, length);
    CHECK(share <= Boosts::kMostCreditUs + 10 * kSecond + length);
    CHECK(share >= 10 * kSecond);
  }
}

TEST_CASE("a token with negative credit is not boosted until its credit is positive; other tokens are boosted") {
  Boosts boosts;
  boosts.charge("a", 5 * kSecond, kStart);
  CHECK(boosts.allowed("b", kStart));
  CHECK(!boosts.allowed("a", kStart + 12 * kSecond));
  CHECK(boosts.allowed("a", kStart + 12 * kSecond + 3));
}

TEST_CASE("each of several concurrent executions is charged") {
  Boosts boosts;
  for (int i = 0; i < 10; ++i) REQUIRE(boosts.allowed("a", kStart));
  for (int i = 0; i < 10; ++i) boosts.charge("a", 106 * kMs, kStart + 106 * kMs);
  CHECK(!boosts.allowed("a", kStart + 106 * kMs));
}

TEST_CASE("twenty executions of 6 ms per second are all boosted") {
  Boosts boosts;
  for (std::int64_t now = kStart; now < kStart + 60 * kSecond; now += 50 * kMs) {
    REQUIRE(boosts.allowed("a", now));
    boosts.charge("a", 6 * kMs, now + 6 * kMs);
  }
}

TEST_CASE("tokens with the whole credit are not stored") {
  Boosts boosts;
  for (int i = 0; i < 1000; ++i) boosts.charge(std::to_string(i), 6 * kMs, kStart);
  CHECK(boosts.tokens() == 1000);
  CHECK(boosts.allowed("0", kStart + kSecond));
  CHECK(boosts.tokens() == 0);
}
