// Measures the CPU time of a function.
#pragma once

#include <ctime>

namespace band::test {

// Returns the CPU time of this process during `act`. Tests use it because, unlike elapsed time, it does not depend on
// the load of the machine. Under the sanitizers, which make programs about ten times slower, returns a tenth of the CPU
// time.
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
