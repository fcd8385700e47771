#include "schemas/core/json_pointer.h"

#include <utility>

#include "schemas/core/json.h"
#include "schemas/core/json_text.h"

namespace band {

void append_pointer_token(std::string& pointer, std::string_view token) {
  pointer += '/';
  for (const char c : token) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
}

std::string join_pointer(std::string pointer, std::string_view key) {
  append_pointer_token(pointer, key);
  return pointer;
}

std::string join_pointer(std::string pointer, std::size_t index) {
  return std::move(pointer) + "/" + std::to_string(index);
}

std::optional<std::vector<std::string>> pointer_tokens(std::string_view pointer) {
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    const char c = pointer[i];
    if (c == '/') {
      tokens.emplace_back();
      continue;
    }
    const std::string_view escape = c == '~' ? pointer.substr(i, 2) : "";
    if (tokens.empty() || (c == '~' && escape != "~0" && escape != "~1")) return std::nullopt;
    if (c != '~') {
      tokens.back() += c;
    } else {
      tokens.back() += escape == "~0" ? '~' : '/';
      ++i;
    }
  }
  return tokens;
}

const Json* value_at(const Json& document, const std::vector<std::string>& tokens) {
  const Json* at = &document;
  for (const std::string& token : tokens) {
    if (at->is_object()) {
      const auto member = at->find(token);
      if (member == at->end()) return nullptr;
      at = &*member;
    } else if (at->is_array() && !token.empty() && token.size() < 9 && (token == "0" || token[0] != '0') &&
               token.find_first_not_of("0123456789") == std::string::npos && std::stoul(token) < at->size()) {
      at = &(*at)[std::stoul(token)];
    } else {
      return nullptr;
    }
  }
  return at;
}

std::string shown_pointer(std::string_view pointer) {
  if (pointer.size() <= kMostShownPointer) return escaped(pointer);
  std::string_view tail = pointer.substr(pointer.size() - kMostShownPointer / 2);
  while (!tail.empty() && (static_cast<unsigned char>(tail.front()) & 0xC0) == 0x80) tail.remove_prefix(1);
  std::string_view head = pointer.substr(0, kMostShownPointer / 2);
  while (!head.empty() && (static_cast<unsigned char>(pointer[head.size()]) & 0xC0) == 0x80) head.remove_suffix(1);
  return escaped(head) + "..." + escaped(tail);
}

std::string readable_pointer(std::string_view pointer) {
  const auto tokens = pointer_tokens(pointer);
  if (!tokens) return std::string(pointer);
  std::string out;
  for (const std::string& token : *tokens) {
    const bool index = !token.empty() && token.find_first_not_of("0123456789") == std::string::npos;
    if (index)
      out += "[" + token + "]";
    else
      out += (out.empty() ? "" : ".") + token;
  }
  return out;
}

}  // namespace band
