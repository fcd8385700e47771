// Words: quotes, expansions, arithmetic.
#include <cctype>

#include "client/shell/builtins.h"
#include "client/shell/reader.h"

namespace band::client::shell {

Scanned Reader::word() {
  Scanned scanned;
  locate(scanned.word, at_);
  const std::size_t start = at_;
  const AssignmentHead head = assignment_head(text_.substr(at_, std::min(end_ - at_, kMaxSubscript)));
  const std::size_t value = start + head.size;
  scanned.assigned = head.name;
  while (at_ < end_ && !closes_backquote()) {
    const char c = peek();
    if (at_ >= value && (is_blank(c) || is_one_of(c, "\n;|)&"))) break;
    if (c == '(' && at_ >= value) {
      if (at_ != value || value == start) break;
      array(scanned);
      break;
    }
    if ((c == '<' || c == '>') && at_ >= value && peek(1) != '(') break;
    if (c == '~' && (at_ == start || at_ == value)) scanned.word.literal = false;
    part(scanned, value > start);
  }
  if (at_ == start + 1 && text_[start] == '[') scanned.word.literal = true;  // the command `[`
  return scanned;
}

void Reader::part(Scanned& scanned, bool is_assignment) {
  const char c = peek(), next = peek(1);
  if (c == '\\') {
    scanned.quoted = true;
    if (next != '\n' && at_ + 1 < end_) scanned.word.text += next;
    skip(2);
  } else if (c == '\'') {
    single_quoted(scanned);
  } else if (c == '"') {
    skip(1);
    double_quoted(scanned);
  } else if (c == '$') {
    expansion(scanned, false);
  } else if (c == '`') {
    const std::size_t start = at_;
    backquote();
    raw(scanned, start);
  } else if (next == '(' && is_one_of(c, "<>?*+@!")) {
    const std::size_t start = at_;
    skip(2);
    if (c == '<' || c == '>')
      list(Closer::Paren);
    else
      alternatives();
    raw(scanned, start);
  } else {
    if (is_one_of(c, "*?[") || (c == '{' && next != '}' && !is_assignment)) scanned.word.literal = false;
    scanned.word.text += c;
    skip(1);
  }
}

void Reader::raw(Scanned& scanned, std::size_t start) {
  scanned.word.text += text_.substr(start, at_ - start);
  scanned.word.literal = false;
}

void Reader::array(Scanned& scanned) {
  const std::size_t start = at_;
  skip(1);
  while (at_ < end_) {
    skip_space();
    if (at_ >= end_ || closes_backquote()) break;
    if (peek() == ')') {
      skip(1);
      break;
    }
    const std::size_t before = at_;
    const Level level(*this);
    if (!level.is_too_deep()) word();
    if (at_ == before) skip(1);
  }
  raw(scanned, start);
}

void Reader::alternatives() {
  const Level level(*this);
  if (level.is_too_deep()) return;
  while (at_ < end_ && !closes_backquote()) {
    if (peek() == ')') return skip(1);
    Scanned ignored;
    if (peek() == '(') {
      skip(1);
      alternatives();
    } else {
      part(ignored, false);
    }
  }
}

void Reader::single_quoted(Scanned& scanned) {
  scanned.quoted = true;
  const std::size_t stop = std::min(text_.find('\'', at_ + 1), end_);
  scanned.word.text += text_.substr(at_ + 1, stop - at_ - 1);
  at_ = std::min(stop + 1, end_);
}

void Reader::ansi_quoted(Scanned& scanned) {
  scanned.quoted = true;
  while (at_ < end_) {
    const char c = peek(), next = peek(1);
    skip(c == '\\' ? 2 : 1);
    if (c == '\'') return;
    if (c != '\\') {
      scanned.word.text += c;
      continue;
    }
    constexpr std::string_view kLetters = "nrte\\'\"?abfv", kMeaning = "\n\r\t\033\\'\"?\a\b\f\v";
    const std::size_t letter = kLetters.find(next);
    if (letter == std::string_view::npos) {
      scanned.word.literal = false;  // \x41, \u2192: not decoded
      scanned.word.text += c;
    }
    scanned.word.text += letter == std::string_view::npos ? next : kMeaning[letter];
  }
}

void Reader::double_quoted(Scanned& scanned) {
  scanned.quoted = true;
  while (at_ < end_ && !closes_backquote()) {
    const char c = peek(), next = peek(1);
    if (c == '"') return skip(1);
    if (c == '$') {
      expansion(scanned, true);
    } else if (c == '`') {
      const std::size_t start = at_;
      backquote();
      raw(scanned, start);
    } else if (c == '\\' && is_one_of(next, "$`\"\\\n")) {
      if (next != '\n') scanned.word.text += next;
      skip(2);
    } else {
      scanned.word.text += c;
      skip(1);
    }
  }
}

void Reader::backquote() {
  skip(1);
  const bool outer = std::exchange(in_backquote_, true);
  list(Closer::None);
  if (peek() == '`') skip(1);
  in_backquote_ = outer;
}

void Reader::expansion(Scanned& scanned, bool in_double_quotes) {
  const std::size_t start = at_;
  skip(1);
  const char c = peek();
  if (c == '(') {
    if (peek(1) == '(' && is_arithmetic(at_ + 2)) {
      skip(2);
      arithmetic();
    } else {
      skip(1);
      list(Closer::Paren);
    }
  } else if (c == '{') {
    skip(1);
    parameter(in_double_quotes);
  } else if (c == '\'' && !in_double_quotes) {
    skip(1);
    return ansi_quoted(scanned);
  } else if (c == '"' && !in_double_quotes) {
    skip(1);
    return double_quoted(scanned);
  } else if (const std::string_view name = identifier(); !name.empty()) {
    use(name, false, start);
  } else if (at_ < end_ && (is_digit(c) || is_one_of(c, "@*#?-$!"))) {
    skip(1);
  } else {
    scanned.word.text += '$';
    return;
  }
  raw(scanned, start);
}

void Reader::parameter(bool in_double_quotes) {
  const Level level(*this);
  if (level.is_too_deep()) return;
  const std::size_t start = at_ - 2;
  const bool indirect = peek() == '!';
  if ((indirect || peek() == '#') && !variable_name(text_.substr(at_ + 1, end_ - at_ - 1)).empty()) skip(1);
  const std::string_view name = identifier();
  const std::size_t used = found_.uses.size();  // the index before the uses in its subscript
  use(name, false, start);
  if (name.empty())
    skip(peek() == '}' ? 0 : 1);
  else if (peek() == '[')
    subscript();
  const char first = peek(), second = peek(1);
  const char operation = first == ':' && is_one_of(second, "-=+?") ? second : first;
  const bool lists_names = indirect && is_one_of(first, "*@") && second == '}';  // `${!NAME*}`
  if (!name.empty() && lists_names)
    found_.uses.erase(found_.uses.begin() + static_cast<std::ptrdiff_t>(used));
  else if (!name.empty())
    found_.uses[used].has_default = is_one_of(operation, "-=+");
  if (!name.empty() && operation == '=') found_.assigned.emplace(name);
  const bool quotes = !in_double_quotes || !is_one_of(operation, "-=+?");
  while (at_ < end_ && !closes_backquote()) {
    if (peek() == '}') return skip(1);
    inside(quotes, in_double_quotes);
  }
}

void Reader::subscript() {
  const Level level(*this);
  if (level.is_too_deep()) return;
  skip(1);
  while (at_ < end_ && !closes_backquote() && peek() != '}') {
    if (peek() == ']') return skip(1);
    if (peek() == '[')
      subscript();
    else
      inside(true, false);
  }
}

void Reader::inside(bool single_quotes, bool in_double_quotes) {
  Scanned ignored;
  if (peek() == '\\') {
    skip(2);
  } else if (peek() == '\'' && single_quotes) {
    single_quoted(ignored);
  } else if (peek() == '"') {
    skip(1);
    double_quoted(ignored);
  } else if (peek() == '$') {
    expansion(ignored, in_double_quotes);
  } else if (peek() == '`') {
    backquote();
  } else {
    skip(1);
  }
}

bool Reader::is_arithmetic(std::size_t from) const {
  int open = 2;
  const std::size_t stop = std::min(end_, from + kMaxArithmetic);
  for (std::size_t i = from; i < stop; ++i) {
    const char c = text_[i];
    if (c == '\\') {
      ++i;
    } else if (c == '\'' || c == '"') {
      const std::size_t size = text_.substr(i + 1, stop - i - 1).find(c);
      i = size == std::string_view::npos ? stop : i + 1 + size;
    } else if (c == '(') {
      ++open;
    } else if (c == ')' && --open == 1) {
      return i + 1 < end_ && text_[i + 1] == ')';
    }
  }
  return false;
}

void Reader::arithmetic() {
  const Level level(*this);
  if (level.is_too_deep()) return;
  int parentheses = 0, brackets = 0;
  std::string_view name;  // the variable before the operator
  bool changes_next = false;
  while (at_ < end_ && !closes_backquote()) {
    const char c = peek(), next = peek(1);
    const std::size_t start = at_;
    if (c == ')' && parentheses == 0) return skip(next == ')' ? 2 : 1);
    if (is_digit(c)) {
      while (at_ < end_ && (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '#')) skip(1);
    } else if (const std::string_view found = identifier(); !found.empty()) {
      if (brackets > 0) continue;
      use(found, false, start);
      name = found;
      if (std::exchange(changes_next, false)) found_.assigned.emplace(name);
    } else if (is_one_of(c, "$`'\"\\")) {
      inside(true, true);
    } else {
      parentheses += c == '(' ? 1 : c == ')' ? -1 : 0;
      brackets = std::max(0, brackets + (c == '[' ? 1 : c == ']' ? -1 : 0));
      if (brackets == 0 && (has("++") || has("--"))) {
        if (!name.empty()) found_.assigned.emplace(name);
        changes_next = name.empty();
        skip(2);
      } else {
        const char before = text_[start - 1];
        const bool shifts = start > 1 && text_[start - 2] == before;
        const bool assigns =
            c == '=' && next != '=' && before != '=' && before != '!' && (!is_one_of(before, "<>") || shifts);
        if (brackets == 0 && assigns && !name.empty()) found_.assigned.emplace(name);
        if (brackets == 0 && is_one_of(c, ",;(=?:&|!")) name = {};
        skip(1);
      }
    }
  }
}

}  // namespace band::client::shell
