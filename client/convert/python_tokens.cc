#include "client/convert/python_tokens.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <utility>

namespace band::client {
namespace {

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

void append_utf8(std::string& out, std::uint32_t code) {
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) code = 0xfffd;
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += {static_cast<char>(0xc0 | (code >> 6)), static_cast<char>(0x80 | (code & 0x3f))};
  } else if (code < 0x10000) {
    out += {static_cast<char>(0xe0 | (code >> 12)), static_cast<char>(0x80 | ((code >> 6) & 0x3f)),
            static_cast<char>(0x80 | (code & 0x3f))};
  } else {
    out += {static_cast<char>(0xf0 | (code >> 18)), static_cast<char>(0x80 | ((code >> 12) & 0x3f)),
            static_cast<char>(0x80 | ((code >> 6) & 0x3f)), static_cast<char>(0x80 | (code & 0x3f))};
  }
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<PythonToken> read() {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = line_start_ = 3;
    while (at_ < text_.size()) step();
    end_line();
    for (const std::size_t open : open_) tokens_[open].partner = tokens_.size();
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void step() {
    const char c = peek();
    if (c == '\n') {
      if (open_.empty()) end_line();
      next_line();
    } else if (c == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
      at_ += peek(1) == '\r' ? 2 : 1;
      next_line();
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
      ++at_;
    } else if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (const std::size_t prefix = string_prefix(); prefix != std::string_view::npos) {
      string(prefix);
    } else if (is_name_start(c)) {
      word(PythonToken::Kind::Name);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number();
    } else {
      operation();
    }
  }

  void next_line() {
    ++at_;
    ++line_;
    line_start_ = at_;
  }

  PythonToken& add(PythonToken::Kind kind, std::string text) {
    const int column = static_cast<int>(at_ - line_start_) + 1;
    if (begins_line_) indent_ = column;
    begins_line_ = false;
    tokens_.push_back({kind, std::move(text), true, line_, column, indent_, 0});
    return tokens_.back();
  }

  void end_line() {
    if (!begins_line_) add(PythonToken::Kind::LineEnd, "");
    begins_line_ = true;
  }

  // Returns the number of prefix letters before the quote if a string begins here; else npos.
  std::size_t string_prefix() const {
    std::size_t letters = 0;
    while (letters < 3 && std::string_view("rRbBuUfF").find(peek(letters)) != std::string_view::npos &&
           peek(letters) != '\0')
      ++letters;
    if (letters > 2) return std::string_view::npos;
    return peek(letters) == '"' || peek(letters) == '\'' ? letters : std::string_view::npos;
  }

  void string(std::size_t letters) {
    PythonToken& token = add(PythonToken::Kind::String, "");
    bool raw = false;
    for (std::size_t i = 0; i < letters; ++i) {
      const char letter = static_cast<char>(std::tolower(static_cast<unsigned char>(peek(i))));
      raw = raw || letter == 'r';
      if (letter == 'f') token.literal = false;
    }
    at_ += letters;
    const char quote = peek();
    const bool triple = peek(1) == quote && peek(2) == quote;
    at_ += triple ? 3 : 1;
    std::string value;
    while (at_ < text_.size()) {
      const char c = peek();
      if (c == quote && (!triple || (peek(1) == quote && peek(2) == quote))) {
        at_ += triple ? 3 : 1;
        break;
      }
      if (c == '\n' && !triple) break;  // a syntax error
      if (c == '\\' && at_ + 1 < text_.size()) {
        escape(value, raw);
      } else {
        value += c;
        if (c == '\n')
          next_line();
        else
          ++at_;
      }
    }
    token.text = std::move(value);
  }

  // Reads the character after a backslash. A raw string keeps the backslash.
  void escape(std::string& value, bool raw) {
    const char c = peek(1);
    if (raw) value += '\\';
    ++at_;
    if (c == '\n') {
      if (raw) value += c;
      return next_line();
    }
    ++at_;
    if (raw) {
      value += c;
      return;
    }
    constexpr std::string_view kFrom = "ntrabfv\\'\"", kTo = "\n\t\r\a\b\f\v\\'\"";
    if (const std::size_t known = kFrom.find(c); known != std::string_view::npos)
      value += kTo[known];
    else if (c >= '0' && c <= '7')
      --at_, append_utf8(value, digits(3, 8));
    else if (c == 'x' || c == 'u' || c == 'U')
      append_utf8(value, digits(c == 'x' ? 2 : c == 'u' ? 4 : 8, 16));
    else
      (value += '\\') += c;
  }

  std::uint32_t digits(int most, std::uint32_t base) {
    std::uint32_t code = 0;
    for (int i = 0; i < most; ++i, ++at_) {
      const auto c = static_cast<unsigned char>(std::tolower(static_cast<unsigned char>(peek())));
      const bool letter = c >= 'a' && c <= 'f';
      if (!is_digit(static_cast<char>(c)) && !letter) break;
      const std::uint32_t digit = letter ? c - 'a' + 10u : c - '0' + 0u;
      if (digit >= base) break;
      code = code * base + digit;
    }
    return code;
  }

  void word(PythonToken::Kind kind) {
    std::size_t end = at_;
    while (end < text_.size() && is_name_part(text_[end])) ++end;
    add(kind, std::string(text_.substr(at_, end - at_)));
    at_ = end;
  }

  void number() {
    std::size_t end = at_;
    while (end < text_.size() && (is_name_part(text_[end]) || text_[end] == '.' ||
                                  ((text_[end] == '+' || text_[end] == '-') && (text_[end - 1] | 0x20) == 'e')))
      ++end;
    add(PythonToken::Kind::Number, std::string(text_.substr(at_, end - at_)));
    at_ = end;
  }

  void operation() {
    constexpr std::string_view kPairs[] = {"==", "!=", "<=", ">=", "->", ":=", "**", "//", "+=", "-=", "<<", ">>"};
    const std::string_view pair = text_.substr(at_, 2);
    const bool two = std::find(std::begin(kPairs), std::end(kPairs), pair) != std::end(kPairs);
    const char c = peek();
    add(PythonToken::Kind::Operator, std::string(text_.substr(at_, two ? 2 : 1)));
    at_ += two ? 2 : 1;
    if (c == '(' || c == '[' || c == '{') {
      open_.push_back(tokens_.size() - 1);
    } else if ((c == ')' || c == ']' || c == '}') && !open_.empty()) {
      tokens_[open_.back()].partner = tokens_.size() - 1;
      open_.pop_back();
    }
  }

  std::string_view text_;
  std::size_t at_ = 0, line_start_ = 0;
  int line_ = 1, indent_ = 1;
  bool begins_line_ = true;
  std::vector<PythonToken> tokens_;
  std::vector<std::size_t> open_;  // brackets
};

bool is_opening(const PythonToken& token) {
  return token.kind == PythonToken::Kind::Operator && (token.is("(") || token.is("[") || token.is("{"));
}

// Calls `part(begin, end)` for each piece between commas.
template <class Part>
void between_commas(const std::vector<PythonToken>& tokens, std::size_t begin, std::size_t end, const Part& part) {
  std::size_t start = begin;
  for (std::size_t at = begin; at < end; ++at) {
    if (is_opening(tokens[at])) {
      at = std::min(tokens[at].partner, end);
    } else if (tokens[at].is(",")) {
      if (at > start) part(start, at);
      start = at + 1;
    }
  }
  if (start < end) part(start, end);
}

}  // namespace

std::vector<PythonToken> python_tokens(std::string_view text) { return Lexer(text).read(); }

std::vector<PythonArgument> python_arguments(const std::vector<PythonToken>& tokens, std::size_t open) {
  std::vector<PythonArgument> arguments;
  const std::size_t close = std::min(tokens[open].partner, tokens.size());
  between_commas(tokens, open + 1, close, [&](std::size_t begin, std::size_t end) {
    const bool named = end - begin > 2 && tokens[begin].is_name() && tokens[begin + 1].is("=");
    arguments.push_back({named ? tokens[begin].text : "", named ? begin + 2 : begin, end});
  });
  return arguments;
}

PythonValue python_value(const std::vector<PythonToken>& tokens, std::size_t begin, std::size_t end, int depth) {
  using Kind = PythonValue::Kind;
  if (begin >= end) return {};
  const PythonToken& first = tokens[begin];
  if (first.kind == PythonToken::Kind::String) {
    PythonValue value{Kind::String, "", {}};
    for (std::size_t at = begin; at < end; ++at) {
      if (tokens[at].kind != PythonToken::Kind::String || !tokens[at].literal) return {};
      value.text += tokens[at].text;
    }
    return value;
  }
  const bool negative = first.is("-") && end - begin == 2;
  if (const PythonToken& last = tokens[end - 1];
      last.kind == PythonToken::Kind::Number && (negative || end - begin == 1))
    return {Kind::Number, (negative ? "-" : "") + last.text, {}};
  if (first.is("(") && first.partner + 1 == end && depth < 4) {
    bool comma = false;
    for (std::size_t at = begin + 1; at + 1 < end; ++at) {
      if (is_opening(tokens[at])) at = std::min(tokens[at].partner, end);
      comma = comma || (at < end && tokens[at].is(","));
    }
    if (!comma) return python_value(tokens, begin + 1, end - 1, depth + 1);
  }
  if ((first.is("[") || first.is("(") || first.is("{")) && first.partner + 1 == end && depth < 4) {
    PythonValue list{Kind::List, "", {}};
    between_commas(tokens, begin + 1, end - 1, [&](std::size_t from, std::size_t to) {
      list.items.push_back(python_value(tokens, from, to, depth + 1));
    });
    return list;
  }
  if (!tokens[end - 1].is_name()) return {};
  std::size_t start = 0;
  const std::string name = python_dotted(tokens, end - 1, start);
  if (start != begin) return {};
  if (name == "None") return {Kind::None, "", {}};
  if (name == "True") return {Kind::True, "", {}};
  if (name == "False") return {Kind::False, "", {}};
  return {Kind::Name, name, {}};
}

std::string python_dotted(const std::vector<PythonToken>& tokens, std::size_t last, std::size_t& first) {
  first = last;
  std::string name = tokens[last].text;
  while (first >= 1 && tokens[first - 1].is(".")) {
    if (first < 2 || !tokens[first - 2].is_name()) return "";
    first -= 2;
    name.insert(0, tokens[first].text + ".");
    if (name.size() > 256) return "";
  }
  return name;
}

}  // namespace band::client
