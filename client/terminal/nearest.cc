#include "client/terminal/nearest.h"

#include <algorithm>

#include "schemas/core/diagnostic.h"

namespace band::client {
namespace {

// Letter case and the separators of kebab-case and snake_case do not count as differences.
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name.substr(0, 128))
    if (c != '-' && c != '_') out += (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

}  // namespace

std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& known, std::size_t most) {
  const std::string wanted = plain(name);
  std::vector<std::pair<std::size_t, std::string>> close;
  for (const std::string& candidate : known) {
    const std::string other = plain(candidate);
    std::size_t cost = edits_between(wanted, other);
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
