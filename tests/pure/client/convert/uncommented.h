// Uncomments the rules in a BAND.md that `band convert` has made: removes the `#` before each of them.
#pragma once

#include <string>

namespace band::test {

inline std::string uncommented(const std::string& band) {
  std::string open;
  for (std::size_t start = 0; start < band.size();) {
    const std::string line = band.substr(start, band.find('\n', start) + 1 - start);
    start += line.size();
    const std::size_t hash = line.find("# ");
    const bool comment = hash != std::string::npos && line.find_first_not_of(' ') == hash;
    open += comment ? line.substr(0, hash) + line.substr(hash + 2) : line;
  }
  return open;
}

}  // namespace band::test
