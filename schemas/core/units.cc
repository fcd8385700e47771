#include "schemas/core/units.h"

#include <charconv>
#include <string>

#include "schemas/core/largest.h"

namespace band {
namespace {

struct Suffix {
  std::string_view text;
  std::int64_t factor;
};

Error bad_unit(std::string_view text, const std::string& what, const std::string& hint) {
  return Error{
      .code = Code::SkillInvalid, .doing = "\"" + std::string(text.substr(0, 40)) + "\" " + what, .hint = hint};
}

template <std::size_t N>
Result<std::int64_t> parse_with_unit(std::string_view text, const Suffix (&units)[N], std::int64_t most,
                                     const std::string& what, const std::string& hint) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  // from_chars accepts a minus sign, but no plus sign and no blanks.
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc::invalid_argument) return bad_unit(text, "is not a " + what, hint);
  const std::string_view suffix(stop, static_cast<std::size_t>(end - stop));
  for (const Suffix& unit : units) {
    if (unit.text != suffix) continue;
    if (error == std::errc{} && number <= 0) return bad_unit(text, "is not above 0", hint);
    if (error != std::errc{} || number > most / unit.factor)
      return bad_unit(text, "is larger than the largest " + what, hint);
    return number * unit.factor;
  }
  return bad_unit(text, "is not a " + what, hint);
}

}  // namespace

Result<std::int64_t> parse_duration_ms(std::string_view text) {
  static constexpr Suffix kUnits[] = {{"", 1}, {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}};
  return parse_with_unit(text, kUnits, kMostMs, "duration",
                         "write a number of milliseconds above 0, or `30s`, `5m`, `1h`");
}

Result<std::int64_t> parse_bytes(std::string_view text) {
  static constexpr Suffix kUnits[] = {{"", 1}, {"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}};
  return parse_with_unit(text, kUnits, kMostBytes, "size", "write a number of bytes above 0, or `64k`, `10m`, `1g`");
}

}  // namespace band
