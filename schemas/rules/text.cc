#include "schemas/rules/text.h"

#include "schemas/core/json_text.h"

namespace band {
namespace {

constexpr std::size_t kMaxShownOrigin = 200;  // bytes

std::string shown_origin(const Rule& rule) { return escaped(rule.origin.substr(0, kMaxShownOrigin)); }

}  // namespace

std::string shown_rule(const Rule& rule) {
  const std::string pattern = shown_string(rule.pattern, kMaxShownPattern);
  return rule.origin.empty() ? pattern : pattern + ", " + shown_origin(rule);
}

std::string shown_file_of(const Rule& rule) {
  const std::string origin = shown_origin(rule);
  return origin.substr(0, origin.rfind(':'));
}

}  // namespace band
