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

std::string with_carriage_returns(std::string_view text) {
  std::string form;
  for (const char c : text) form.append(c == '\n' ? "\r" : "").append(1, c);
  return form;
}

}  // namespace band
