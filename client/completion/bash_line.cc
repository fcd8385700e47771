#include "client/completion/bash_line.h"

namespace band::client {
namespace {

class Reader {
 public:
  Reader(std::string_view line, std::size_t text_begins) : line_(line), text_begins_(text_begins) {}

  BashLine read() {
    for (; at_ < line_.size(); ++at_) {
      if (at_ == text_begins_) mark();
      character(line_[at_]);
    }
    if (text_begins_ >= line_.size()) mark();
    read_.words.push_back(word_);
    return std::move(read_);
  }

 private:
  void mark() {
    read_.head = word_;
    read_.quote = quote_;
  }

  void character(char c) {
    if (quote_ == '\'') {
      if (c == '\'')
        quote_ = 0;
      else
        word_ += c;
    } else if (c == '\\' && escapes_next()) {
      word_ += line_[++at_];
    } else if (quote_ == '"') {
      if (c == '"')
        quote_ = 0;
      else
        word_ += c;
    } else if (c == '\'' || c == '"') {
      quote_ = c;
      in_word_ = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (in_word_ || !word_.empty()) read_.words.push_back(word_);
      word_.clear();
      in_word_ = false;
    } else {
      word_ += c;
    }
  }

  // Between double quotes a backslash is literal before most characters: bash(1), "QUOTING".
  bool escapes_next() const {
    if (at_ + 1 >= line_.size()) return false;
    return quote_ == 0 || std::string_view("$`\"\\\n").find(line_[at_ + 1]) != std::string_view::npos;
  }

  const std::string_view line_;
  const std::size_t text_begins_;
  std::size_t at_ = 0;
  std::string word_;
  bool in_word_ = false;  // '' is a word
  char quote_ = 0;
  BashLine read_;
};

std::string with_backslashes(std::string_view word) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+,:@%=";
  std::string text;
  for (const char c : word) {
    const bool is_of_utf8 = static_cast<unsigned char>(c) >= 0x80;
    if (!is_of_utf8 && kPlain.find(c) == std::string_view::npos) text += '\\';
    text += c;
  }
  return text;
}

}  // namespace

BashLine read_bash_line(std::string_view line, std::string_view text) {
  const std::size_t begin = line.ends_with(text) ? line.size() - text.size() : line.size();
  return Reader(line, begin).read();
}

std::string in_bash(const BashLine& line, std::string_view word) {
  if (!word.starts_with(line.head)) return "";
  word.remove_prefix(line.head.size());
  if (line.quote == 0) return with_backslashes(word);
  std::string text;
  for (const char c : word) {
    // History expansion also occurs between double quotes, where a backslash before `!` is not removed.
    if (line.quote == '\'' && c == '\'')
      text += "'\\''";
    else if (line.quote == '"' && c == '!')
      text += "\"\\!\"";
    else if (line.quote == '"' && std::string_view("$`\"\\").find(c) != std::string_view::npos)
      text += std::string("\\") + c;
    else
      text += c;
  }
  return text;
}

}  // namespace band::client
