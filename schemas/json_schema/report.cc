#include "schemas/json_schema/report.h"

#include <algorithm>
#include <numeric>

#include "schemas/core/json.h"
#include "schemas/core/json_compare.h"
#include "schemas/core/json_number.h"
#include "schemas/core/json_pointer.h"
#include "schemas/core/json_text.h"

namespace band {
namespace {

// Edit distance; only for short texts.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string Path::pointer() const {
  std::vector<const Path*> steps;
  for (const Path* at = this; at->parent_ != nullptr; at = at->parent_) steps.push_back(at);
  // Keys may have megabytes: only the part that is shown is copied.
  std::string pointer;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if ((*step)->is_index_) {
      append_pointer_token(pointer, std::to_string((*step)->index_));
    } else {
      constexpr std::size_t kLongestShown = 1024;
      const std::string_view key = (*step)->key_;
      append_pointer_token(pointer, key.substr(0, kLongestShown));
      if (key.size() > kLongestShown) pointer += "...";
    }
  }
  return shown_pointer(pointer);
}

void Report::add(const Path& path, std::string rule, std::string message) {
  if (full()) return;
  deepest_ = std::max(deepest_, path.depth());
  violations_.push_back({path.pointer(), std::move(rule), std::move(message)});
}

std::string unexpected_property(std::string_view name, std::vector<std::string_view> allowed) {
  std::string message = "there is no property " + shown_string(name);
  if (allowed.empty()) return message + ", and no other property is allowed";
  std::sort(allowed.begin(), allowed.end());
  constexpr std::size_t kLongestCompared = 64, kMostCompared = 200;
  std::string_view nearest;
  std::size_t best = name.size() / 3 + 1;
  if (name.size() <= kLongestCompared && allowed.size() <= kMostCompared)
    for (const std::string_view other : allowed)
      if (other.size() <= kLongestCompared)
        if (const std::size_t far = distance(name, other); far <= best && (nearest.empty() || far < best))
          nearest = other, best = far;
  if (!nearest.empty()) return message + "; did you mean " + shown_string(nearest) + "?";
  message += "; there are ";
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    if (i == 10) return message + ", ...";
    message += (i == 0 ? "" : ", ") + shown_string(allowed[i]);
  }
  return message;
}

bool is_of_type(const Json& value, std::string_view type) {
  if (type == "number") return is_number(value);
  if (type == "integer") return is_number(value) && is_integral(value);
  return json_type_name(value) == type;
}

std::size_t characters_of(const Json& value) {
  if (!value.is_string()) return 0;
  const auto& text = value.get_ref<const std::string&>();
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace band
