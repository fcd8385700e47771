// Commands, reserved words, redirections and here-documents.
#include "client/shell/builtins.h"
#include "client/shell/reader.h"

namespace band::client::shell {

ShellReading Reader::read() {
  list(Closer::None);
  std::stable_sort(found_.commands.begin(), found_.commands.end(), [](const ShellCommand& a, const ShellCommand& b) {
    const ShellWord &left = a.words.front(), &right = b.words.front();
    return left.line != right.line ? left.line < right.line : left.column < right.column;
  });
  return std::move(found_);
}

void Reader::use(std::string_view name, bool has_default, std::size_t offset) {
  if (name.empty()) return;
  ShellVariable variable{std::string(name), has_default, 0, 0};
  locate(variable, offset);
  found_.uses.push_back(std::move(variable));
}

std::string_view Reader::identifier() {
  const std::string_view name = variable_name(text_.substr(at_, end_ - at_));
  at_ += name.size();
  return name;
}

std::string_view Reader::plain_word() const {
  for (std::size_t size = 0; size < 16; ++size) {
    const char c = peek(size);
    if (at_ + size >= end_ || is_one_of(c, " \t\n;&|()<>`")) return text_.substr(at_, size);
    if (is_one_of(c, "'\"\\$")) break;
  }
  return {};
}

void Reader::skip_blanks() {
  while (at_ < end_ && (is_blank(peek()) || has("\\\n"))) skip(peek() == '\\' ? 2 : 1);
}

void Reader::skip_comment() {
  while (at_ < end_ && peek() != '\n' && !closes_backquote()) ++at_;
}

void Reader::skip_space() {
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

void Reader::newline() {
  skip(1);
  for (const HereDocument& document : std::exchange(pending_, {})) here_document(document);
}

void Reader::here_document(const HereDocument& document) {
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

void Reader::list(Closer closer) {
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

void Reader::subshell() {
  if (peek(1) == '(' && is_arithmetic(at_ + 2)) {
    skip(2);
    return arithmetic();
  }
  skip(1);
  list(Closer::Paren);
}

bool Reader::reserved_word() {
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

void Reader::case_command() {
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

void Reader::case_patterns() {
  while (at_ < end_) {
    skip_space();
    if (closes_backquote()) return;
    if (peek() == ')') return skip(1);
    const std::size_t before = at_;
    if (peek() != '|') word();
    if (at_ == before) skip(1);
  }
}

void Reader::loop_head() {
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
    Scanned scanned = word();
    if (at_ == before)
      skip(1);
    else
      found_.loop_words.push_back(std::move(scanned.word));
  }
}

void Reader::function_head() {
  skip_blanks();
  const std::size_t start = at_;
  while (at_ < end_ && !is_one_of(peek(), " \t\n;&|()<>`'\"\\$")) ++at_;
  if (at_ > start) found_.functions.emplace(text_.substr(start, at_ - start));
  skip_blanks();
  parentheses();
}

bool Reader::parentheses() {
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

void Reader::condition() {
  bool asks_for_name = false;
  while (at_ < end_ && !closes_backquote()) {
    if (is_blank(peek()) || peek() == '\n' || has("\\\n")) {
      skip_space();
      continue;
    }
    const std::size_t before = at_;
    Scanned scanned = word();
    if (at_ == before) {
      skip(1);
      continue;
    }
    if (!scanned.quoted && scanned.word.text == "]]") return;
    if (asks_for_name && scanned.word.literal) use(variable_name(scanned.word.text), true, before);
    asks_for_name = scanned.word.text == "-v";
    found_.conditions.push_back(std::move(scanned.word));
  }
}

bool Reader::ends_command() {
  if (at_ >= end_ || closes_backquote()) return true;
  if (peek() == '#') skip_comment();
  return at_ >= end_ || is_one_of(peek(), "\n;|)") || (peek() == '&' && peek(1) != '>') || closes_backquote();
}

void Reader::simple_command() {
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

void Reader::note_builtin(const std::vector<ShellWord>& all) {
  const std::vector<ShellWord> words = without_prefixes(all);
  const std::string& name = words.front().text;
  if (name == "eval" || name == "source" || name == ".") found_.is_open_ended = true;
  for (std::string& given : names_given(words)) found_.assigned.insert(std::move(given));
  if (name != "test" && name != "[") return;
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const ShellWord& asked = words[i + 1];
    const std::string_view variable = variable_name(asked.text);
    if (words[i].text == "-v" && asked.literal && !variable.empty())
      found_.uses.push_back({std::string(variable), true, asked.line, asked.column});
  }
}

bool Reader::redirection() {
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

void Reader::redirect(std::string_view operation) {
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

}  // namespace band::client::shell
