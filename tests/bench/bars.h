// The limits of measures. If a measure misses its limit, no test fails: `tools/bench` prints the miss, and `--json`
// records it.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace band::bench {

enum class Bound { AtMost, AtLeast };

// Prints a human-readable line, and appends a line of JSON to the file $BAND_BENCH_BARS. `name` is plain text without
// quotes.
inline void bar(const std::string& name, double value, Bound bound, double limit) {
  const bool holds = bound == Bound::AtMost ? value <= limit : value >= limit;
  const char* words = bound == Bound::AtMost ? "at most" : "at least";
  fmt::print("  {:<58}{:>8.2f}   {} {:.2f}{}\n", name, value, words, limit, holds ? "" : "   MISSED");
  const char* path = std::getenv("BAND_BENCH_BARS");
  if (path == nullptr) return;
  std::FILE* file = std::fopen(path, "a");
  if (file == nullptr) return;
  fmt::print(file, "{{\"name\":\"{}\",\"value\":{:.4f},\"limit\":{},\"bound\":\"{}\",\"holds\":{}}}\n", name, value,
             limit, words, holds);
  std::fclose(file);
}

}  // namespace band::bench
