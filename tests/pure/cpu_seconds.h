// How much of the processor's time an act takes.
#pragma once

#include <ctime>

namespace band::test {

// So that a busy machine does not matter; a tenth of it under the sanitizers, which cost as much.
double cpu_seconds_of(const auto& act) {
  const std::clock_t start = std::clock();
  act();
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
#ifdef BAND_SANITIZED
  return seconds / 10;
#else
  return seconds;
#endif
}

}  // namespace band::test
