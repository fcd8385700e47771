// The parser behind read_shell(): reads the text once, and calls a member function recursively for each nesting level.
// Only files of this directory include this header.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/shell/reading.h"

namespace band::client::shell {

inline constexpr int kMaxDepth = 100;  // maximum number of nesting levels; when a text has more, its rest is not read
// Limits, in bytes, of the lookahead for the end of $((...)) and of a subscript; with them, the time of parsing is
// linear.
inline constexpr std::size_t kMaxArithmetic = 4 << 10, kMaxSubscript = 256;

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_one_of(char c, std::string_view characters) { return characters.find(c) != std::string_view::npos; }

// The end of a list of commands. None: the end of the text or a closing backquote. Paren: `)`. Clause: `;;`, `;&`,
// `;;&` or `esac`.
enum class Closer { None, Paren, Clause };

// A word during parsing.
struct Scanned {
  ShellWord word;
  std::string_view assigned;  // `NAME` of NAME=..., NAME+=..., NAME[...]=...
  bool quoted = false;        // a part of it is quoted
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), end_(text.size()) {
    lines_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n') lines_.push_back(i + 1);
  }

  ShellReading read();

 private:
  struct HereDocument {
    std::string delimiter;
    bool quoted = false, strips_tabs = false;
  };

  // While a Level exists, the reader is one nesting level deeper. If there are more than kMaxDepth levels,
  // is_too_deep() returns true and skips the rest of the text.
  class Level {
   public:
    explicit Level(Reader& reader) : reader_(reader) { ++reader_.depth_; }
    ~Level() { --reader_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    bool is_too_deep() const {
      if (reader_.depth_ <= kMaxDepth) return false;
      reader_.at_ = reader_.end_;
      return true;
    }

   private:
    Reader& reader_;
  };

  char peek(std::size_t ahead = 0) const { return at_ + ahead < end_ ? text_[at_ + ahead] : '\0'; }
  bool has(std::string_view what) const { return text_.substr(at_, end_ - at_).starts_with(what); }
  void skip(std::size_t count) { at_ = std::min(at_ + count, end_); }
  bool closes_backquote() const { return in_backquote_ && peek() == '`'; }

  template <class Place>
  void locate(Place& place, std::size_t offset) const {
    const auto line = std::upper_bound(lines_.begin(), lines_.end(), offset) - 1;
    place.line = static_cast<int>(line - lines_.begin()) + 1;
    place.column = static_cast<int>(offset - *line) + 1;
  }

  // Common.
  void use(std::string_view name, bool has_default, std::size_t offset);
  std::string_view identifier();
  std::string_view plain_word() const;  // returns the word here if it may be a reserved word (short, unquoted), else ""
  void skip_blanks();
  void skip_comment();
  void skip_space();  // blanks, ends of lines and comments
  void newline();     // skips a newline and the here-documents after it
  void here_document(const HereDocument& document);

  // Commands (commands.cc).
  void list(Closer closer);  // up to the closing token
  void subshell();
  bool reserved_word();
  void case_command();  // after `case`
  void case_patterns();
  void loop_head();  // after `for` or `select`, up to `do`
  void function_head();
  bool parentheses();  // skips `()` and returns true, if present
  void condition();    // after `[[`
  bool ends_command();
  void simple_command();
  void note_builtin(const std::vector<ShellWord>& all);
  bool redirection();  // reads a redirection (`<`, `2>`, `{log}>>` ...) with its target and returns true, if present
  void redirect(std::string_view operation);

  // Words (words.cc).
  Scanned word();
  void part(Scanned& scanned, bool is_assignment);  // one character, one quoted part or one expansion of a word
  void raw(Scanned& scanned, std::size_t start);    // appends the source text from `start`
  void array(Scanned& scanned);                     // after `NAME=`
  void alternatives();                              // after `@(`
  void single_quoted(Scanned& scanned);
  void ansi_quoted(Scanned& scanned);    // after `$'`
  void double_quoted(Scanned& scanned);  // after the quote
  void backquote();
  void expansion(Scanned& scanned, bool in_double_quotes);  // `$` and the rest of the expansion
  void parameter(bool in_double_quotes);                    // after `${`
  void subscript();  // at `[`. Names in it without `$` are not added to uses: they may be keys of an associative array
  // Inside of an expansion: one character, one quoted part or one nested expansion.
  void inside(bool single_quotes, bool in_double_quotes);
  // Returns whether the `((` before `from` is closed by `))`, within kMaxArithmetic bytes. If not, the `((` begins two
  // nested subshells.
  bool is_arithmetic(std::size_t from) const;
  void arithmetic();  // after `((`

  std::string_view text_;
  std::size_t at_ = 0, end_;
  int depth_ = 0;
  bool in_backquote_ = false;
  std::vector<std::size_t> lines_;  // offset of each line
  std::vector<HereDocument> pending_;
  ShellReading found_;
};

}  // namespace band::client::shell
