// How parse_json() reads a text: the input iterator of nlohmann's tokenizer, and the parts of the text that the
// tokenizer does not read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "schemas/core/json_number.h"
#include "schemas/core/plain.h"

namespace band {

// A part of the text that is hidden from the tokenizer, which reads something else instead:
// - A number that may be outside the range of doubles, because nlohmann's tokenizer refuses such a number. The
// tokenizer
//   reads a 0 and blanks instead, which are also one number and do not change the position of the following text.
// - The characters of a long string without escapes. The tokenizer reads an empty string instead.
struct Hidden {
  std::string_view text;  // at the end of the text and empty when there is no further part
  bool in_string = false;
  const char* begin() const { return text.data(); }
  const char* end() const { return text.data() + text.size(); }
};

inline constexpr std::int64_t kSafeDigits = 300;  // before the decimal point; the largest double has 309

inline bool may_be_beyond_doubles(std::string_view number) {
  const auto parts = number_parts(number);
  if (!parts) return false;  // not a number: nlohmann reports the reason
  return static_cast<std::int64_t>(parts->whole.size()) + parts->exponent > kSafeDigits;
}

inline constexpr std::size_t kLongString = 200;  // bytes; shorter ones are not worth hiding

// Finds the hidden parts one after the other, because a text can have a million of them. If the text is not JSON, parts
// after its first error are never used.
class HiddenParts {
 public:
  explicit HiddenParts(std::string_view text) : text_(text) {}

  Hidden next() {
    while (at_ < text_.size()) {
      if (text_[at_] == '"') {
        if (const std::string_view part = plain_part(); part.size() >= kLongString) return {part, true};
      } else if (text_[at_] == '-' || (text_[at_] >= '0' && text_[at_] <= '9')) {
        if (const std::string_view part = digits(); may_be_beyond_doubles(part)) return {part, false};
      } else {
        ++at_;
      }
    }
    return {text_.substr(text_.size())};
  }

 private:
  // Moves behind the string that begins here. Returns its characters if it is plain, or else an empty text.
  std::string_view plain_part() {
    const std::size_t begin = ++at_;
    at_ = end_of_plain(text_, at_);
    const bool plain = at_ < text_.size() && text_[at_] == '"';
    const std::string_view part = text_.substr(begin, plain ? at_ - begin : 0);
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\') ++at_;
    at_ = std::min(at_ + 1, text_.size());
    return part;
  }
  // Moves behind the number that begins here, and returns its text.
  std::string_view digits() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_not_of("+-.0123456789Ee", at_), text_.size());
    return text_.substr(begin, at_ - begin);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

struct JsonReading {
  explicit JsonReading(std::string_view text) : reached(text.data()), parts(text), hidden(parts.next()) {}

  const char* reached;  // the first byte that the tokenizer has not read yet
  HiddenParts parts;
  Hidden hidden;              // the next hidden part, or the one that is being read
  std::string_view string{};  // the hidden string that was skipped; its event follows
  std::size_t passed = 0;     // total bytes of skipped strings
};

// The tokenizer's input iterator. It records how far the tokenizer has read, which nlohmann's events do not contain.
struct JsonCursor {
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at = nullptr;
  JsonReading* reading = nullptr;

  reference operator*() const {
    static constexpr char kZero = '0', kBlank = ' ';
    if (at < reading->hidden.begin()) return *at;
    return at == reading->hidden.begin() ? kZero : kBlank;
  }
  JsonCursor& operator++() {
    const Hidden& next = reading->hidden;
    if (++at == next.begin() && next.in_string) {
      reading->string = next.text;
      reading->passed += next.text.size();
      at = next.end();
    }
    if (at == next.end() && !next.text.empty()) reading->hidden = reading->parts.next();
    reading->reached = at;
    return *this;
  }
  JsonCursor operator++(int) {
    JsonCursor old = *this;
    ++*this;
    return old;
  }
  bool operator==(const JsonCursor& other) const { return at == other.at; }
  bool operator!=(const JsonCursor& other) const { return at != other.at; }
};

}  // namespace band
