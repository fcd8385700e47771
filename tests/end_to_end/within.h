// A clock, and waiting for what comes true in its own time.
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

namespace band::test {

inline std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Looks every 5 ms; false when it did not become true within `ms`.
template <class Condition>
bool within(int ms, Condition condition) {
  const std::int64_t deadline = now_ms() + ms;
  while (!condition()) {
    if (now_ms() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace band::test
