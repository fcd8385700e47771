// Times of repeated measurements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "schemas/core/result.h"

namespace band::bench {

// Returns the quantile `part` (0 to 1) of `all`, which is not empty.
inline double quantile(std::vector<double> all, double part) {
  std::sort(all.begin(), all.end());
  return all[static_cast<std::size_t>(part * static_cast<double>(all.size() - 1))];
}
inline double median(std::vector<double> all) { return quantile(std::move(all), 0.5); }

struct Series {
  std::string name;
  std::function<Status()> once;
  std::vector<double> ms = {};

  double at(double part) const { return quantile(ms, part); }
};

}  // namespace band::bench
