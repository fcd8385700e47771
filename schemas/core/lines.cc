#include "schemas/core/lines.h"

namespace band {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    lines.push_back(first_line(text));
    text.remove_prefix(lines.back().size());
    if (!text.empty()) text.remove_prefix(1);
  }
  return lines;
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

}  // namespace band
