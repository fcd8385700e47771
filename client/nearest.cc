#include "client/nearest.h"

#include <algorithm>
#include <numeric>

namespace band::client {
namespace {

// Letter case and the separators of kebab-case and snake_case are no difference that a caller would call a mistake.
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name.substr(0, 128))
    if (c != '-' && c != '_') out += (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// Insertions, deletions, replacements, and swaps of neighbours (optimal string alignment).
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), 0u);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

}  // namespace

std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& known, std::size_t most) {
  const std::string wanted = plain(name);
  std::vector<std::pair<std::size_t, std::string>> close;
  for (const std::string& candidate : known) {
    const std::string other = plain(candidate);
    std::size_t cost = distance(wanted, other);
    const bool begins = wanted.size() >= 3 && (other.starts_with(wanted) || wanted.starts_with(other));
    if (begins) cost = std::min<std::size_t>(cost, 1);
    if (cost <= std::max<std::size_t>(1, wanted.size() / 3)) close.emplace_back(cost, candidate);
  }
  std::stable_sort(close.begin(), close.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (const auto& [cost, candidate] : close)
    if (names.size() < most) names.push_back(candidate);
  return names;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known, std::string_view prefix,
                         std::string otherwise) {
  const std::vector<std::string> names = nearest(name, known);
  if (names.empty()) return otherwise;
  std::string text = "did you mean ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += "`" + std::string(prefix) + names[i] + "`";
  }
  return text + "?";
}

}  // namespace band::client
