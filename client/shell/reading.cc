#include "client/shell/reading.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "client/shell/builtins.h"

namespace band::client {
namespace {

constexpr int kMaxDepth = 100;                  // of what is nested; what is deeper is not read
constexpr std::size_t kMaxLookahead = 4 << 10;  // for the end of $((...)) and of a subscript: keeps the reading linear

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_one_of(char c, std::string_view characters) { return characters.find(c) != std::string_view::npos; }

enum class Closer { None, Paren, Clause };

// A word while it is read.
struct Scanned {
  ShellWord word;
  std::string_view assigned;  // `NAME` of NAME=..., NAME+=..., NAME[...]=...
  bool quoted = false;        // a part of it is
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), end_(text.size()) {
    lines_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n') lines_.push_back(i + 1);
  }

  ShellReading read() {
    list(Closer::None);
    std::stable_sort(found_.commands.begin(), found_.commands.end(), [](const ShellCommand& a, const ShellCommand& b) {
      const ShellWord &left = a.words.front(), &right = b.words.front();
      return left.line != right.line ? left.line < right.line : left.column < right.column;
    });
    return std::move(found_);
  }

 private:
  struct HereDocument {
    std::string delimiter;
    bool quoted = false, strips_tabs = false;
  };

  // One level of what is nested. Too deep: everything up to the end is passed over.
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

  void use(std::string_view name, bool has_default, std::size_t offset) {
    ShellVariable variable{std::string(name), has_default, 0, 0};
    locate(variable, offset);
    found_.uses.push_back(std::move(variable));
  }

  std::string_view identifier() {
    const std::string_view name = variable_name(text_.substr(at_, end_ - at_));
    at_ += name.size();
    return name;
  }

  // What stands here if it is short and plain, as reserved words are; else empty.
  std::string_view plain_word() const {
    for (std::size_t size = 0; size < 16; ++size) {
      const char c = peek(size);
      if (at_ + size >= end_ || is_one_of(c, " \t\n;&|()<>`")) return text_.substr(at_, size);
      if (is_one_of(c, "'\"\\$")) break;
    }
    return {};
  }

  void skip_blanks() {
    while (at_ < end_ && (is_blank(peek()) || has("\\\n"))) skip(peek() == '\\' ? 2 : 1);
  }

  void skip_comment() {
    while (at_ < end_ && peek() != '\n' && !closes_backquote()) ++at_;
  }

  // Blanks, ends of lines and comments.
  void skip_space() {
    for (;;) {
      skip_blanks();
      if (peek() == '\n')
        newline();
      else if (peek() == '#')
        skip_comment();
      else
        return;
      if (at_ >= end_ || closes_backquote()) return;
    }
  }

  void newline() {
    skip(1);
    for (const HereDocument& document : std::exchange(pending_, {})) here_document(document);
  }

  void here_document(const HereDocument& document) {
    const std::size_t begin = at_;
    std::size_t stop = end_, next = end_;
    for (std::size_t line = at_; line < end_;) {
      const std::size_t line_end = std::min(text_.find('\n', line), end_);
      std::string_view content = text_.substr(line, line_end - line);
      while (document.strips_tabs && content.starts_with('\t')) content.remove_prefix(1);
      if (content == document.delimiter) {
        stop = line;
        next = std::min(line_end + 1, end_);
        break;
      }
      line = line_end + 1;
    }
    if (!document.quoted) {
      const std::size_t outer_end = std::exchange(end_, stop);
      const bool outer_backquote = std::exchange(in_backquote_, false);
      at_ = begin;
      while (at_ < end_) {
        Scanned ignored;
        if (peek() == '\\')
          skip(2);
        else if (peek() == '$')
          expansion(ignored, true);
        else if (peek() == '`')
          backquote();
        else
          ++at_;
      }
      end_ = outer_end;
      in_backquote_ = outer_backquote;
    }
    at_ = next;
  }

  // Commands up to what closes them.
  void list(Closer closer) {
    const Level level(*this);
    if (level.is_too_deep()) return;
    while (at_ < end_) {
      skip_space();
      if (at_ >= end_ || closes_backquote()) return;
      const std::size_t before = at_;
      const char c = peek(), next = peek(1);
      if (c == ')') {
        skip(1);
        if (closer == Closer::Paren) return;
      } else if (c == ';' && (next == ';' || next == '&') && closer == Closer::Clause) {
        skip(2);
        if (peek() == '&') skip(1);
        return;
      } else if (c == ';' || c == '|' || (c == '&' && next != '>')) {
        skip(1);
      } else if (c == '(') {
        subshell();
      } else if (closer == Closer::Clause && plain_word() == "esac") {
        return;
      } else if (!reserved_word()) {
        simple_command();
      }
      if (at_ == before) skip(1);
    }
  }

  void subshell() {
    if (peek(1) == '(' && is_arithmetic(at_ + 2)) {
      skip(2);
      return arithmetic();
    }
    skip(1);
    list(Closer::Paren);
  }

  bool reserved_word() {
    const std::string_view word = plain_word();
    constexpr std::string_view kSeparators[] = {"if",   "then", "elif", "else", "fi", "while", "until", "do",
                                                "done", "esac", "!",    "{",    "}",  "time",  "coproc"};
    const bool separates = std::find(std::begin(kSeparators), std::end(kSeparators), word) != std::end(kSeparators);
    const bool begins = word == "case" || word == "for" || word == "select" || word == "function" || word == "[[";
    if (!separates && !begins) return false;
    skip(word.size());
    if (word == "case") case_command();
    if (word == "for" || word == "select") loop_head();
    if (word == "function") function_head();
    if (word == "[[") condition();
    if (word == "coproc") found_.assigned.insert("COPROC");
    if (word == "time") {
      skip_blanks();
      if (plain_word() == "-p") skip(2);
    }
    return true;
  }

  void case_command() {
    const Level level(*this);
    if (level.is_too_deep()) return;
    skip_space();
    word();
    skip_space();
    if (plain_word() == "in") skip(2);
    while (at_ < end_) {
      skip_space();
      if (closes_backquote()) return;
      if (plain_word() == "esac") return skip(4);
      const std::size_t before = at_;
      if (peek() == '(') skip(1);
      case_patterns();
      list(Closer::Clause);
      if (at_ == before) skip(1);
    }
  }

  void case_patterns() {
    while (at_ < end_) {
      skip_space();
      if (closes_backquote()) return;
      if (peek() == ')') return skip(1);
      const std::size_t before = at_;
      if (peek() != '|') word();
      if (at_ == before) skip(1);
    }
  }

  // Behind `for` or `select`, up to `do`.
  void loop_head() {
    skip_blanks();
    if (has("((")) {
      skip(2);
      return arithmetic();
    }
    if (const std::string_view name = identifier(); !name.empty()) found_.assigned.emplace(name);
    skip_space();
    if (plain_word() != "in") return;
    skip(2);
    for (skip_blanks(); !ends_command(); skip_blanks()) {
      const std::size_t before = at_;
      word();
      if (at_ == before) skip(1);
    }
  }

  void function_head() {
    skip_blanks();
    const std::size_t start = at_;
    while (at_ < end_ && !is_one_of(peek(), " \t\n;&|()<>`'\"\\$")) ++at_;
    if (at_ > start) found_.functions.emplace(text_.substr(start, at_ - start));
    skip_blanks();
    parentheses();
  }

  // Passes over `()`, if it is here.
  bool parentheses() {
    const std::size_t before = at_;
    if (peek() == '(') {
      skip(1);
      skip_blanks();
      if (peek() == ')') {
        skip(1);
        return true;
      }
    }
    at_ = before;
    return false;
  }

  // Behind `[[`.
  void condition() {
    bool asks_for_name = false;
    while (at_ < end_ && !closes_backquote()) {
      if (is_blank(peek()) || peek() == '\n' || has("\\\n")) {
        skip_space();
        continue;
      }
      const std::size_t before = at_;
      const Scanned scanned = word();
      if (at_ == before) {
        skip(1);
        continue;
      }
      if (!scanned.quoted && scanned.word.text == "]]") return;
      if (asks_for_name && scanned.word.literal) use(variable_name(scanned.word.text), true, before);
      asks_for_name = scanned.word.text == "-v";
    }
  }

  bool ends_command() {
    if (at_ >= end_ || closes_backquote()) return true;
    if (peek() == '#') skip_comment();
    return at_ >= end_ || is_one_of(peek(), "\n;|)") || (peek() == '&' && peek(1) != '>') || closes_backquote();
  }

  void simple_command() {
    ShellCommand command;
    for (skip_blanks(); !ends_command(); skip_blanks()) {
      if (peek() == '(') {
        if (command.words.size() != 1 || !command.assignments.empty() || !parentheses()) break;
        found_.functions.insert(command.words.front().text);
        return;
      }
      const std::size_t before = at_;
      if (redirection()) continue;
      Scanned scanned = word();
      if (at_ == before) break;
      if (command.words.empty() && !scanned.assigned.empty()) {
        found_.assigned.emplace(scanned.assigned);
        command.assignments.push_back(std::move(scanned.word));
      } else {
        command.words.push_back(std::move(scanned.word));
      }
    }
    if (command.words.empty()) return;
    note_builtin(command.words);
    found_.commands.push_back(std::move(command));
  }

  void note_builtin(const std::vector<ShellWord>& all) {
    const std::vector<ShellWord> words = without_prefixes(all);
    const std::string& name = words.front().text;
    if (name == "eval" || name == "source" || name == ".") found_.is_open_ended = true;
    for (std::string& given : names_given(words)) found_.assigned.insert(std::move(given));
    if (name != "test" && name != "[") return;
    for (std::size_t i = 1; i + 1 < words.size(); ++i)
      if (words[i].text == "-v" && words[i + 1].literal)
        found_.uses.push_back(
            {std::string(variable_name(words[i + 1].text)), true, words[i + 1].line, words[i + 1].column});
  }

  // `<`, `2>`, `{log}>>` and their like with what follows, if one stands here.
  bool redirection() {
    const std::size_t before = at_;
    std::string_view opened;
    if (peek() == '{') {
      skip(1);
      opened = identifier();
      if (peek() == '}') skip(1);
    } else {
      while (is_digit(peek())) skip(1);
    }
    std::string_view operation;
    for (const std::string_view candidate : {"&>>", "&>", "<<<", "<<-", "<<", "<&", "<>", ">>", ">&", ">|", "<", ">"})
      if (has(candidate) && (candidate.front() != '&' || at_ == before)) {
        operation = candidate;
        break;
      }
    const bool is_process = (operation == "<" || operation == ">") && peek(1) == '(' && at_ == before;
    if (operation.empty() || is_process || (at_ > before && text_[before] == '{' && text_[at_ - 1] != '}')) {
      at_ = before;
      return false;
    }
    if (!opened.empty()) found_.assigned.emplace(opened);
    skip(operation.size());
    skip_blanks();
    redirect(operation);
    return true;
  }

  void redirect(std::string_view operation) {
    const std::size_t before = at_;
    Scanned target = word();
    if (at_ == before) return;
    const std::string& text = target.word.text;
    if (operation == "<<" || operation == "<<-") {
      pending_.push_back({text, target.quoted, operation == "<<-"});
    } else if (operation == ">&" || operation == "<&") {
      const bool is_descriptor = !target.word.literal || text.find_first_not_of("0123456789-") == std::string::npos;
      if (!is_descriptor && operation == ">&") found_.redirections.push_back({"&>", std::move(target.word)});
    } else if (operation != "<<<") {
      found_.redirections.push_back({std::string(operation), std::move(target.word)});
    }
  }

  // The length of `NAME=`, `NAME+=`, `NAME[...]=` here; 0 when it is none of them.
  std::size_t assignment_size(std::string_view& name) const {
    const std::string_view rest = text_.substr(at_, std::min(end_ - at_, kMaxLookahead));
    name = variable_name(rest);
    if (name.empty()) return 0;
    std::size_t size = name.size();
    if (size < rest.size() && rest[size] == '[') {
      int open = 0;
      do {
        if (rest[size] == '\n') return 0;
        open += rest[size] == '[' ? 1 : rest[size] == ']' ? -1 : 0;
      } while (++size < rest.size() && open > 0);
      if (open > 0) return 0;
    }
    if (rest.substr(size).starts_with("+=")) return size + 2;
    return rest.substr(size).starts_with("=") ? size + 1 : 0;
  }

  Scanned word() {
    Scanned scanned;
    locate(scanned.word, at_);
    const std::size_t start = at_;
    const std::size_t value = start + assignment_size(scanned.assigned);
    if (value == start) scanned.assigned = {};
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
    if (at_ == start + 1 && text_[start] == '[') scanned.word.literal = true;  // the command
    return scanned;
  }

  // One character of a word, or one quoted or expanded part.
  void part(Scanned& scanned, bool is_assignment) {
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

  void raw(Scanned& scanned, std::size_t start) {
    scanned.word.text += text_.substr(start, at_ - start);
    scanned.word.literal = false;
  }

  // Behind `NAME=`.
  void array(Scanned& scanned) {
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

  // Behind `@(`.
  void alternatives() {
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

  void single_quoted(Scanned& scanned) {
    scanned.quoted = true;
    const std::size_t stop = std::min(text_.find('\'', at_ + 1), end_);
    scanned.word.text += text_.substr(at_ + 1, stop - at_ - 1);
    at_ = std::min(stop + 1, end_);
  }

  // Behind `$'`.
  void ansi_quoted(Scanned& scanned) {
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

  // Behind the quote.
  void double_quoted(Scanned& scanned) {
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

  void backquote() {
    skip(1);
    const bool outer = std::exchange(in_backquote_, true);
    list(Closer::None);
    if (peek() == '`') skip(1);
    in_backquote_ = outer;
  }

  // `$` and what belongs to it.
  void expansion(Scanned& scanned, bool in_double_quotes) {
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

  // Behind `${`.
  void parameter(bool in_double_quotes) {
    const Level level(*this);
    if (level.is_too_deep()) return;
    const std::size_t start = at_ - 2;
    const bool indirect = peek() == '!';
    if ((indirect || peek() == '#') && !variable_name(text_.substr(at_ + 1, end_ - at_ - 1)).empty()) skip(1);
    const std::string_view name = identifier();
    if (name.empty())
      skip(peek() == '}' ? 0 : 1);
    else if (peek() == '[')
      subscript();
    const char first = peek(), second = peek(1);
    const char operation = first == ':' && is_one_of(second, "-=+?") ? second : first;
    if (!name.empty() && !(indirect && is_one_of(first, "*@") && second == '}'))
      use(name, is_one_of(operation, "-=+"), start);
    if (!name.empty() && operation == '=') found_.assigned.emplace(name);
    const bool quotes = !in_double_quotes || !is_one_of(operation, "-=+?");
    while (at_ < end_ && !closes_backquote()) {
      if (peek() == '}') return skip(1);
      inside(quotes, in_double_quotes);
    }
  }

  // Behind the name, at `[`. Names without `$` are not listed: they may be the keys of a map.
  void subscript() {
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

  // One character, or one quoted or expanded part, of what is no word of its own.
  void inside(bool single_quotes, bool in_double_quotes) {
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

  // Whether what begins behind `((` ends with `))`: else it is a command in two parentheses.
  bool is_arithmetic(std::size_t from) const {
    int open = 2;
    const std::size_t stop = std::min(end_, from + kMaxLookahead);
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

  // Behind `((`.
  void arithmetic() {
    const Level level(*this);
    if (level.is_too_deep()) return;
    int parentheses = 0, brackets = 0;
    std::string_view name;  // of the variable in front
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
          if (brackets == 0 && is_one_of(c, ",;(=?:&|<>!")) name = {};
          skip(1);
        }
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0, end_;
  int depth_ = 0;
  bool in_backquote_ = false;
  std::vector<std::size_t> lines_;  // where each begins
  std::vector<HereDocument> pending_;
  ShellReading found_;
};

}  // namespace

ShellReading read_shell(std::string_view text) { return Reader(text).read(); }

}  // namespace band::client
