#include "schemas/json_schema/regular_expression.h"

#include <charconv>

#include "schemas/core/json_text.h"

namespace band {
namespace {

// Returns the code unit of a "\uXXXX" at `at`, or -1.
long unit_at(std::string_view text, std::size_t at) {
  if (text.size() < at + 6 || text[at] != '\\' || text[at + 1] != 'u') return -1;
  unsigned long unit = 0;
  const auto end = std::from_chars(text.data() + at + 2, text.data() + at + 6, unit, 16);
  return end.ptr == text.data() + at + 6 ? static_cast<long>(unit) : -1;
}

// Converts \uXXXX and surrogate pairs to RE2's \x{...}.
std::string translated(std::string_view pattern) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '\\' || i + 1 == pattern.size()) {
      out += pattern[i];
      continue;
    }
    long unit = unit_at(pattern, i);
    if (unit < 0) {
      out += pattern[i++];
      out += pattern[i];
      continue;
    }
    i += 5;
    if (const long low = unit_at(pattern, i + 1); (unit & 0xFC00) == 0xD800 && (low & 0xFC00) == 0xDC00) {
      unit = 0x10000 + ((unit & 0x3FF) << 10) + (low & 0x3FF);
      i += 6;
    }
    char digits[16];
    const auto end = std::to_chars(digits, digits + sizeof digits, unit, 16);
    out += "\\x{" + std::string(digits, end.ptr) + "}";
  }
  return out;
}

}  // namespace

Result<std::shared_ptr<const re2::RE2>> compile_pattern(std::string_view pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(1 << 20);  // bounds the program's size, and with it the work per character of untrusted text
  const std::string source = translated(pattern);
  auto compiled = std::make_shared<const re2::RE2>(source, options);
  if (compiled->ok()) return compiled;
  std::string reason = escaped(compiled->error());
  return Error{
      .code = Code::SkillInvalid,
      .doing = "the pattern " + shown_string(pattern) + " is not supported: " + reason,
      .hint = "use RE2's syntax: it has no look-around, back-references or (?<name>); repeat counts are at most 1000"};
}

bool pattern_found(const re2::RE2& pattern, std::string_view text) {
  return pattern.Match(re2::StringPiece(text.data(), text.size()), 0, text.size(), re2::RE2::UNANCHORED, nullptr, 0);
}

}  // namespace band
