#include "schemas/core/json.h"

#include <array>

#include "schemas/core/json_number.h"

namespace band {
namespace {

constexpr std::string_view kBase64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 0xFF;

constexpr std::array<std::uint8_t, 256> base64_digits() {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (std::size_t i = 0; i < kBase64Alphabet.size(); ++i)
    digits[static_cast<unsigned char>(kBase64Alphabet[i])] = static_cast<std::uint8_t>(i);
  return digits;
}
constexpr std::array<std::uint8_t, 256> kBase64Digits = base64_digits();

Error not_base64(std::string problem) {
  return Error{.code = Code::BadRequest,
               .doing = "cannot decode base64: " + std::move(problem),
               .hint = "encode as in RFC 4648 section 4, padded with '=', without white space"};
}

}  // namespace

Json object_for(std::size_t members) {
  Json object = Json::object();
  object.get_ref<Json::object_t&>().reserve(members);
  return object;
}

std::string_view json_type_name(const Json& value) {
  switch (value.type()) {
    case Json::value_t::boolean:
      return "boolean";
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
      return "integer";
    case Json::value_t::number_float:
      return "number";
    case Json::value_t::binary:  // a number that keeps its text
      return text_of(value)->find_first_of(".eE") == std::string_view::npos ? "integer" : "number";
    case Json::value_t::string:
      return "string";
    case Json::value_t::array:
      return "array";
    case Json::value_t::object:
      return "object";
    case Json::value_t::null:
    case Json::value_t::discarded:
      break;
  }
  return "null";
}

std::string base64_encode(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    const auto byte = [&](std::size_t k) -> std::uint32_t {
      return k < left ? static_cast<unsigned char>(bytes[i + k]) : 0;
    };
    const std::uint32_t group = byte(0) << 16 | byte(1) << 8 | byte(2);
    text += kBase64Alphabet[group >> 18];
    text += kBase64Alphabet[(group >> 12) & 63];
    text += left > 1 ? kBase64Alphabet[(group >> 6) & 63] : '=';
    text += left > 2 ? kBase64Alphabet[group & 63] : '=';
  }
  return text;
}

Result<std::string> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return not_base64("the length " + std::to_string(text.size()) + " is not a multiple of 4");
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const bool last = i + 4 == text.size();
    const std::size_t padding = !last || text[i + 3] != '=' ? 0 : text[i + 2] != '=' ? 1 : 2;
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::uint8_t digit = k >= 4 - padding ? 0 : kBase64Digits[static_cast<unsigned char>(text[i + k])];
      if (digit == kNoDigit) return not_base64("byte " + std::to_string(i + k) + " is not a base64 character");
      group = group << 6 | digit;
    }
    // Each sequence of bytes has exactly one encoding: bits that padding drops must be zero.
    if ((padding == 1 && (group & 0xFF) != 0) || (padding == 2 && (group & 0xFFFF) != 0))
      return not_base64("the unused bits of the last group are not zero");
    bytes += static_cast<char>(group >> 16);
    if (padding < 2) bytes += static_cast<char>(group >> 8 & 0xFF);
    if (padding < 1) bytes += static_cast<char>(group & 0xFF);
  }
  return bytes;
}

}  // namespace band
