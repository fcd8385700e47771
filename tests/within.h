// A clock, and a function that waits for a condition.
//
// Set $BAND_TEST_SCALE on an emulated machine, to the factor by which programs are slower than on a real machine. The
// waiting times and time limits of tests are multiplied by it.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>

namespace band::test {

inline std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

inline int scaled(int ms) {
  static const int scale = [] {
    const char* text = std::getenv("BAND_TEST_SCALE");
    return text == nullptr ? 1 : std::atoi(text);
  }();
  return ms * scale;
}

// Checks the condition every 5 ms. Returns false when the condition was not true within `ms` milliseconds (times
// $BAND_TEST_SCALE).
template <class Condition>
bool within(int ms, Condition condition) {
  const std::int64_t deadline = now_ms() + scaled(ms);
  while (!condition()) {
    if (now_ms() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace band::test
