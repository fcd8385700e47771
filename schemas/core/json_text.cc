#include "schemas/core/json_text.h"

#include <cstdio>
#include <utility>

#include "schemas/core/json.h"
#include "schemas/core/utf8.h"

namespace band {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

bool is_unprintable(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029 ||
         (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

void append_escaped(std::string& out, std::string_view bytes, char32_t code) {
  if (code == kReplacement) {
    out += "\xEF\xBF\xBD";
  } else if (code == '\n') {
    out += "\\n";
  } else if (code == '\t') {
    out += "\\t";
  } else if (code == '\r') {
    out += "\\r";
  } else if (is_unprintable(code)) {
    char buffer[8];
    std::snprintf(buffer, sizeof buffer, "\\u%04x", static_cast<unsigned>(code));
    out += buffer;
  } else {
    out += bytes;
  }
}

// Escapes at most `limit` characters of `text`. Returns true if `text` has no further characters.
bool append_some(std::string& out, std::string_view text, std::size_t limit, bool quoting) {
  for (std::size_t count = 0; !text.empty(); ++count) {
    if (count == limit) return false;
    const Utf8Char next = utf8_at(text, 0);
    if (quoting && (next.code == '"' || next.code == '\\')) out += '\\';
    append_escaped(out, text.substr(0, next.bytes), next.valid ? next.code : kReplacement);
    text.remove_prefix(next.bytes);
  }
  return true;
}

// Appends `value` until `out` is longer than `limit`. Returns false if a part of `value` was left out.
bool append_value(std::string& out, const Json& value, std::size_t limit) {
  if (out.size() > limit) return false;
  if (value.is_string()) {
    const std::string text = shown_string(value.get_ref<const std::string&>(), limit);
    out += text;
    return true;
  }
  if (!value.is_structured()) {
    out += dump_json(value);
    return true;
  }
  out += value.is_array() ? '[' : '{';
  bool first = true;
  for (auto it = value.begin(); it != value.end(); ++it) {
    if (out.size() > limit) return false;
    if (!std::exchange(first, false)) out += ',';
    if (value.is_object()) out += shown_string(it.key(), limit) + ":";
    if (!append_value(out, it.value(), limit)) return false;
  }
  out += value.is_array() ? ']' : '}';
  return true;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  append_some(out, text, text.size(), false);
  return out;
}

std::string shown_string(std::string_view text, std::size_t limit) {
  std::string out = "\"";
  const bool whole = append_some(out, text, limit, true);
  out += '"';
  if (!whole) out += "...";
  return out;
}

std::string shown_value(const Json& value, std::size_t limit) {
  if (value.is_string()) return shown_string(value.get_ref<const std::string&>(), limit);
  std::string whole;
  const bool complete = append_value(whole, value, limit);
  if (complete && whole.size() <= limit) return whole;
  std::string out;
  append_some(out, whole, limit, false);
  return out + "...";
}

std::string shown_with_type(const Json& value) {
  std::string type(json_type_name(value));
  const auto counted = [](std::size_t count, const char* one, const char* many) {
    return std::to_string(count) + " " + (count == 1 ? one : many);
  };
  if (value.is_null()) return type;
  if (value.is_array()) return type + " of " + counted(value.size(), "item", "items");
  if (value.is_object()) return type + " with " + counted(value.size(), "member", "members");
  return type + " " + shown_value(value);
}

bool is_json(std::string_view text) { return parse_json(text, "text").ok(); }
std::optional<std::string> text_of_string(const Json& value) {
  return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
}

std::string json_list(const std::vector<std::string>& strings) { return dump_json(Json(strings)); }

std::string json_string(std::string_view text) { return dump_json(Json(std::string(text))); }

std::string json_array(const std::vector<std::string>& values) {
  std::string text = "[";
  for (const std::string& value : values) text.append(text.size() > 1 ? "," : "").append(value);
  return text + "]";
}

std::string json_object(const std::vector<std::pair<std::string_view, std::string>>& members) {
  std::string text = "{";
  for (const auto& [name, value] : members)
    text.append(text.size() > 1 ? "," : "").append(json_string(name)).append(":").append(value);
  return text + "}";
}

}  // namespace band
