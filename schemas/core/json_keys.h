// The keys of the objects that parse_json() is reading.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace band {

// The keys of the open objects. A text can have a million of them. Therefore a key without escapes is a part of the
// text, and the list is a deque, which does not copy its items when it grows. No accepted text has 4 GiB.
class JsonKeys {
 public:
  struct Key {
    std::uint32_t end;   // offset of the closing quote
    std::uint32_t size;  // the name's; it ends there. kEscaped: the name has escapes in the text
  };

  explicit JsonKeys(std::string_view text) : text_(text) {}

  std::size_t count() const { return keys_.size(); }
  const Key& operator[](std::size_t index) const { return keys_[index]; }
  std::string_view name(const Key& key) const {
    return key.size == kEscaped ? std::string_view(escaped_.at(key.end)) : text_.substr(key.end - key.size, key.size);
  }
  void push(std::string name, std::size_t end) {
    const std::uint32_t at = static_cast<std::uint32_t>(end);
    const std::size_t size = name.size();
    const bool plain = size < end && text_[end - size - 1] == '"' && text_.substr(end - size, size) == name &&
                       name.find('\\') == std::string::npos;
    keys_.push_back({at, plain ? static_cast<std::uint32_t>(size) : kEscaped});
    if (!plain) escaped_.emplace(at, std::move(name));
  }
  void cut(std::size_t count) {
    if (count < keys_.size()) escaped_.erase(escaped_.lower_bound(keys_[count].end), escaped_.end());
    keys_.resize(count);
  }
  // Returns the first key after `first` that repeats an earlier one. Sorts instead of hashing, because an attacker
  // could choose keys that collide in a hash table. Sorts the list itself, because a copy could be as large as the
  // text.
  std::optional<Key> duplicate(std::size_t first) {
    const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, keys_.end(), [this](const Key& a, const Key& b) {
      const int order = name(a).compare(name(b));
      return order != 0 ? order < 0 : a.end < b.end;
    });
    std::optional<Key> found;
    for (std::size_t i = first + 1; i < keys_.size(); ++i)
      if (name(keys_[i]) == name(keys_[i - 1]) && (!found || keys_[i].end < found->end)) found = keys_[i];
    std::sort(begin, keys_.end(), [](const Key& a, const Key& b) { return a.end < b.end; });
    return found;
  }

 private:
  static constexpr std::uint32_t kEscaped = ~std::uint32_t{0};

  std::string_view text_;
  std::deque<Key> keys_;
  std::map<std::uint32_t, std::string> escaped_;  // by Key::end
};

}  // namespace band
