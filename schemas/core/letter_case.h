// Letters of ASCII in one case. Other bytes are unchanged, because no program of band calls setlocale(3). Pure.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace band {

inline std::string lower_case(std::string_view text) {
  std::string made(text);
  std::transform(made.begin(), made.end(), made.begin(), [](unsigned char c) { return std::tolower(c); });
  return made;
}

inline std::string upper_case(std::string_view text) {
  std::string made(text);
  std::transform(made.begin(), made.end(), made.begin(), [](unsigned char c) { return std::toupper(c); });
  return made;
}

}  // namespace band
