#include "server/http1/fields.h"

#include <algorithm>

namespace band::http1 {
namespace {

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c != '\t' && (c < 0x20 || c == 0x7f); });
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return "";
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

bool is_token_char(unsigned char c) {
  if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return true;
  return std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
}

bool is_token(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char); }

std::optional<Field> read_field(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon)) || has_control_character(line))
    return std::nullopt;
  return Field{lower(line.substr(0, colon)), std::string(trimmed(line.substr(colon + 1)))};
}

std::vector<std::string> elements(std::string_view list) {
  std::vector<std::string> result;
  for (;;) {
    const auto comma = list.find(',');
    const std::string_view element = list.substr(0, comma);
    result.push_back(lower(trimmed(element.substr(0, element.find(';')))));
    if (comma == std::string_view::npos) return result;
    list.remove_prefix(comma + 1);
  }
}

std::optional<std::uint64_t> read_content_length(std::string_view value) {
  if (value.empty() || value.size() > 18 || value.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  return std::stoull(std::string(value));
}

const std::string* Lines::find(std::string_view lower_name) const {
  for (const auto& [name, value] : fields)
    if (name == lower_name) return &value;
  return nullptr;
}

std::size_t Lines::count(std::string_view lower_name) const {
  return static_cast<std::size_t>(
      std::count_if(fields.begin(), fields.end(), [&](const Field& field) { return field.first == lower_name; }));
}

std::variant<Lines, BadLines> read_lines(std::string_view text, std::size_t max_fields) {
  Lines lines;
  for (bool first = true; !text.empty(); first = false) {
    const auto end = text.find("\r\n");
    if (end == std::string_view::npos) return BadLines{false, "a header line does not end with CR LF"};
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 2);
    if (has_control_character(line)) return BadLines{false, "a control character in the first line or a header"};
    if (first) {
      lines.first = line;
      continue;
    }
    if (line.empty()) {
      if (!text.empty()) return BadLines{false, "bytes after the empty line that ends the headers"};
      return lines;
    }
    auto field = read_field(line);
    if (!field) return BadLines{false, "a header is not NAME: VALUE"};
    if (lines.fields.size() == max_fields)
      return BadLines{true, "more than " + std::to_string(max_fields) + " headers"};
    lines.fields.push_back(*std::move(field));
  }
  return BadLines{false, "the headers do not end with an empty line"};
}

}  // namespace band::http1
