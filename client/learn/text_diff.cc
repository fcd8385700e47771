#include "client/learn/text_diff.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace band::client::learn {
namespace {

constexpr std::size_t kContext = 3;
constexpr std::size_t kMostLines = 8'000;  // of both together

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    at = end + 1;
  }
  return lines;
}

struct Step {
  char mark = ' ';
  std::string_view line;
};

// The longest common subsequence, from its end to its front.
std::vector<Step> steps_between(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::uint32_t> same((a.size() + 1) * width, 0);
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      same[i * width + j] = a[i] == b[j] ? same[(i + 1) * width + j + 1] + 1
                                         : std::max(same[(i + 1) * width + j], same[i * width + j + 1]);
  std::vector<Step> steps;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      steps.push_back({' ', a[i]});
      ++i, ++j;
    } else if (j == b.size() || (i < a.size() && same[(i + 1) * width + j] >= same[i * width + j + 1])) {
      steps.push_back({'-', a[i++]});
    } else {
      steps.push_back({'+', b[j++]});
    }
  }
  return steps;
}

std::string hunk(const std::vector<Step>& steps, std::size_t from, std::size_t to, std::size_t line_a,
                 std::size_t line_b) {
  std::string text;
  std::size_t count_a = 0, count_b = 0;
  for (std::size_t i = from; i < to; ++i) {
    count_a += steps[i].mark != '+';
    count_b += steps[i].mark != '-';
    text += std::string(1, steps[i].mark) + std::string(steps[i].line) + "\n";
  }
  return "@@ -" + std::to_string(line_a) + "," + std::to_string(count_a) + " +" + std::to_string(line_b) + "," +
         std::to_string(count_b) + " @@\n" + text;
}

}  // namespace

std::string unified_diff(const std::string& file, std::string_view before, std::string_view after) {
  const std::vector<std::string_view> a = lines_of(before), b = lines_of(after);
  if (before == after || a.size() + b.size() > kMostLines) return "";
  const std::vector<Step> steps = steps_between(a, b);
  std::string text;
  std::size_t line_a = 1, line_b = 1;
  for (std::size_t i = 0; i < steps.size();) {
    if (steps[i].mark == ' ') {
      ++line_a, ++line_b, ++i;
      continue;
    }
    std::size_t to = i + 1;  // behind the last change that is near
    for (std::size_t k = to; k < steps.size() && k <= to + 2 * kContext; ++k)
      if (steps[k].mark != ' ') to = k + 1;
    const std::size_t front = std::min(kContext, i), end = std::min(steps.size(), to + kContext);
    text += hunk(steps, i - front, end, line_a - front, line_b - front);
    for (; i < end; ++i) {
      line_a += steps[i].mark != '+';
      line_b += steps[i].mark != '-';
    }
  }
  return text.empty() ? "" : "--- " + file + "\n+++ " + file + "\n" + text;
}

}  // namespace band::client::learn
