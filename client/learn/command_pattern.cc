#include "client/learn/command_pattern.h"

#include <algorithm>
#include <cctype>

#include "schemas/core/json_text.h"
#include "schemas/pattern/pattern.h"
#include "schemas/pattern/shell_text.h"
#include "schemas/wire/masked.h"

namespace band::client::learn {
namespace {

constexpr std::string_view kReplaced = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view kPlaces = "/band/";          // $INPUT_PATH, $BAND_LIB ... are the same in every run

std::string quoted_piece(const std::string& piece) { return piece.empty() ? "" : quoted_word(piece); }

// Returns the pieces as one word with `*` between them; adjacent `*` become one.
std::string text_of(const PatternWord& word, bool last) {
  if (word.is_any()) return last ? "''*" : "*";
  std::string text;
  for (std::size_t i = 0; i < word.pieces.size(); ++i) text += (i > 0 ? "*" : "") + quoted_piece(word.pieces[i]);
  return text.empty() ? "''" : text;
}

PatternWord literal(std::string text, bool of_script = false) { return {{std::move(text)}, of_script, false}; }
PatternWord any() { return {{"", ""}, false, false}; }

// Collects the pieces of one word from left to right.
class Pieces {
 public:
  void add(std::string_view text) { pieces_.back() += text; }
  void star() {
    if (pieces_.size() == 1 || !pieces_.back().empty()) pieces_.emplace_back();
  }
  void unknown() {
    star();
    unknown_ = true;
  }
  void append(const PatternWord& word) {
    for (std::size_t i = 0; i < word.pieces.size(); ++i) {
      if (i > 0) star();
      add(word.pieces[i]);
    }
    unknown_ = unknown_ || word.unknown;
  }
  PatternWord release() { return {std::move(pieces_), false, unknown_}; }

 private:
  std::vector<std::string> pieces_{""};
  bool unknown_ = false;
};

// Returns the number of bytes at `at` that replace text which the ledger does not show; 0: none.
std::size_t unknown_at(std::string_view word, std::size_t at) {
  const std::string_view rest = word.substr(at);
  if (rest.starts_with(kMasked)) return kMasked.size();
  if (rest.starts_with(kReplaced)) return kReplaced.size();
  if (rest.size() < 2 || rest[0] != '\\') return 0;
  if (rest[1] == 'n' || rest[1] == 't' || rest[1] == 'r') return 2;
  return rest[1] == 'u' && rest.size() >= 6 ? 6 : 0;
}

PatternWord known_part(std::string_view word) {
  Pieces pieces;
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t unknown = unknown_at(word, at);
    if (unknown > 0)
      pieces.unknown();
    else
      pieces.add(word.substr(at, 1));
    at += std::max<std::size_t>(unknown, 1);
  }
  return pieces.release();
}

// ---- the words of run.sh ----

// Returns the end of the expansion that begins at `at`; nested brackets are skipped.
std::size_t end_of_expansion(std::string_view text, std::size_t at) {
  if (text[at] == '`') return std::min(text.find('`', at + 1), text.size() - 1) + 1;
  std::size_t end = at + 1;
  if (end < text.size() && (text[end] == '{' || text[end] == '(')) {
    const char open = text[end], close = open == '{' ? '}' : ')';
    int depth = 0;
    for (; end < text.size(); ++end) {
      if (text[end] == open) ++depth;
      if (text[end] == close && --depth == 0) return end + 1;
    }
    return text.size();
  }
  const auto is_name = [](char c) { return ::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  if (end < text.size() && !is_name(text[end])) return end + 1;  // $? $# $@
  while (end < text.size() && is_name(text[end])) ++end;
  return end;
}

// Returns the literal pieces of one word: "--max-count=" and "" for `--max-count=$count`. Returns nullopt for a word
// without
// `$`, which is a glob or has a `~`.
std::optional<std::vector<std::string>> template_of(const ShellWord& word) {
  std::vector<std::string> pieces{""};
  for (std::size_t at = 0; at < word.text.size();) {
    const char c = word.text[at];
    if ((c == '$' && at + 1 < word.text.size()) || c == '`') {
      at = end_of_expansion(word.text, at);
      pieces.emplace_back();
    } else {
      pieces.back() += word.text[at++];
    }
  }
  if (pieces.size() == 1) return std::nullopt;
  return pieces;
}

// Returns the texts between the pieces in `word`, using the first match of each piece; nullopt when they do not match.
std::optional<std::vector<std::string>> between(const std::vector<std::string>& pieces, const std::string& word) {
  if (!word.starts_with(pieces.front())) return std::nullopt;
  std::vector<std::string> parts;
  std::size_t at = pieces.front().size();
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    const bool last = i + 1 == pieces.size();
    if (last && (word.size() < at + pieces[i].size() || !word.ends_with(pieces[i]))) return std::nullopt;
    const std::size_t found = last ? word.size() - pieces[i].size() : word.find(pieces[i], at);
    if (found == std::string::npos) return std::nullopt;
    parts.push_back(word.substr(at, found - at));
    at = found + pieces[i].size();
  }
  return parts;
}

// ---- one command line ----

bool looks_like_subcommand(std::string_view word) {
  return !word.empty() && word.front() >= 'a' && word.front() <= 'z' &&
         word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string_view::npos;
}

class Generaliser {
 public:
  Generaliser(const std::vector<std::string>& argv, const std::vector<InputValue>& values, const ShellReading& script)
      : argv_(argv), script_(script) {
    for (const InputValue& value : values) {
      std::string text = escaped(value.text);
      // Skips defaults: the schema's author chose them, so only values of the caller are replaced by `*`.
      if (!text.empty() && value.given) values_.push_back(std::move(text));
    }
    std::stable_sort(values_.begin(), values_.end(),
                     [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
  }

  Generalised run() {
    Generalised result;
    result.pattern.command = argv_.front();
    find_lines();
    for (std::size_t i = 1; i < argv_.size(); ++i) {
      result.pattern.words.push_back(word(i, result.doubtful));
      if (result.unknown.empty() && result.pattern.words.back().unknown) result.unknown = argv_[i];
    }
    return result;
  }

 private:
  // Finds the lines of run.sh that may have made this call: their words without an expansion are equal.
  void find_lines() {
    for (const ShellCommand& command : script_.commands) {
      if (!command.words.front().literal || command.words.front().text != argv_.front()) continue;
      const bool whole = command.words.size() == argv_.size() && fits(command);
      std::size_t fixed = 1;
      while (fixed < argv_.size() && fixed < command.words.size() && is_written(command.words[fixed], fixed)) ++fixed;
      if (whole) lines_.push_back(&command);
      fixed_ = std::max(fixed_, fixed);
    }
  }

  bool is_written(const ShellWord& word, std::size_t i) const { return word.literal && escaped(word.text) == argv_[i]; }

  bool fits(const ShellCommand& command) const {
    for (std::size_t i = 1; i < argv_.size(); ++i) {
      const ShellWord& word = command.words[i];
      if (word.literal ? escaped(word.text) != argv_[i] : !fits_template(word, argv_[i])) return false;
    }
    return true;
  }

  static bool fits_template(const ShellWord& word, const std::string& argument) {
    const auto pieces = template_of(word);
    return !pieces || between(*pieces, argument);
  }

  PatternWord word(std::size_t i, std::vector<std::string>& doubtful) const {
    const std::string& argument = argv_[i];
    for (const ShellCommand* line : lines_) {
      if (line->words[i].literal) return literal(line->words[i].text, true);
      if (const auto pieces = template_of(line->words[i])) return expanded(argument, *pieces, doubtful);
    }
    if (i < fixed_) return written(i);
    return without_line(i, argument);
  }

  // Uses the script's text, because that of the ledger may be escaped.
  PatternWord written(std::size_t i) const {
    for (const ShellCommand& command : script_.commands)
      if (i < command.words.size() && command.words.front().text == argv_.front() && is_written(command.words[i], i))
        return literal(command.words[i].text, true);
    return known_part(argv_[i]);
  }

  // For one word of run.sh with expansions in it.
  PatternWord expanded(const std::string& argument, const std::vector<std::string>& pieces,
                       std::vector<std::string>& doubtful) const {
    const auto parts = between(pieces, argument);
    if (!parts) return known_part(argument);
    Pieces found;
    found.add(pieces.front());
    bool doubt = false;
    for (std::size_t i = 0; i < parts->size(); ++i) {
      const std::string& part = (*parts)[i];
      if (is_value(part)) {
        found.star();
      } else {
        const PatternWord inside = with_values(part);
        doubt = doubt || (inside.is_literal() && !part.empty() && !part.starts_with(kPlaces));
        found.append(inside);
      }
      found.add(pieces[i + 1]);
    }
    if (doubt) doubtful.push_back(argument);
    return found.release();
  }

  PatternWord without_line(std::size_t i, const std::string& argument) const {
    if (is_value(argument) && !(i == 1 && looks_like_subcommand(argument))) return any();
    const std::size_t equals = argument.find('=');
    if (equals != std::string::npos && is_value(argument.substr(equals + 1))) {
      Pieces pieces;
      pieces.append(known_part(argument.substr(0, equals + 1)));
      pieces.star();
      return pieces.release();
    }
    if (i == 1 && looks_like_subcommand(argument)) return literal(argument);
    return with_values(argument);
  }

  bool is_value(const std::string& text) const {
    return !text.empty() && std::find(values_.begin(), values_.end(), text) != values_.end();
  }

  // Replaces each value inside of the text, the longest first, and each unknown part by `*`.
  PatternWord with_values(std::string_view text) const {
    for (const std::string& value : values_) {
      if (value.size() < kLeastInside) break;
      const std::size_t at = text.find(value);
      if (at == std::string_view::npos || (at > 0 && text[at - 1] == '\\'))
        continue;  // the second character of an escape
      Pieces pieces;
      pieces.append(with_values(text.substr(0, at)));
      pieces.star();
      pieces.append(with_values(text.substr(at + value.size())));
      return pieces.release();
    }
    return known_part(text);
  }

  const std::vector<std::string>& argv_;
  const ShellReading& script_;
  std::vector<std::string> values_;  // escaped, the longest first
  std::vector<const ShellCommand*> lines_;
  std::size_t fixed_ = 1;  // number of leading words that run.sh has literally
};

// ---- two command lines ----

// Returns `/tmp/*.csv` for `/tmp/a.csv` and `/tmp/b.csv`: keeps the common beginning up to its last `/` or `=`, and the
// end from the last dot.
PatternWord common(const std::string& a, const std::string& b) {
  const std::size_t same = static_cast<std::size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin()).first -
      a.begin());
  const std::size_t cut = a.substr(0, same).find_last_of("/=");
  const std::string front = cut == std::string::npos ? "" : a.substr(0, cut + 1);
  const std::size_t dot = a.rfind('.'), dot_b = b.rfind('.');
  std::string back;
  if (dot != std::string::npos && dot_b != std::string::npos && dot >= front.size() && dot_b >= front.size() &&
      a.substr(dot) == b.substr(dot_b))
    back = a.substr(dot);
  return {{front, back}, false, false};
}

std::optional<PatternWord> merged_word(const PatternWord& a, const PatternWord& b) {
  if (a.of_script && b.of_script) return std::nullopt;
  if (a.is_any() || b.is_any()) return any();
  if (!a.is_literal() || !b.is_literal()) return std::nullopt;
  const std::string &x = a.pieces[0], &y = b.pieces[0];
  if (looks_like_subcommand(x) || looks_like_subcommand(y)) return std::nullopt;
  const bool option = x.starts_with('-') || y.starts_with('-');
  const std::size_t equals = x.find('=');
  if (option && (equals == std::string::npos || x.substr(0, equals + 1) != y.substr(0, equals + 1)))
    return std::nullopt;
  return common(x, y);
}

bool covers(const CommandPattern& outer, const CommandPattern& inner) {
  const auto o = CliPattern::parse(outer.text()), i = CliPattern::parse(inner.text());
  return o.ok() && i.ok() && o->covers(*i);
}

std::optional<CommandPattern> merged_of_one_length(const CommandPattern& a, const CommandPattern& b) {
  CommandPattern both = a;
  both.open_end = a.open_end || b.open_end;
  int differing = 0;
  for (std::size_t i = 0; i < a.words.size(); ++i) {
    if (a.words[i] == b.words[i]) continue;
    auto word = merged_word(a.words[i], b.words[i]);
    if (!word || ++differing > 1) return std::nullopt;
    both.words[i] = std::move(*word);
  }
  return both;
}

// Merges `add ''*` and `add * ''*` into `add *`.
std::optional<CommandPattern> merged_of_two_lengths(const CommandPattern& shorter, const CommandPattern& longer) {
  const std::size_t size = shorter.words.size();
  if (size == 0 || !shorter.words.back().is_any()) return std::nullopt;
  if (!std::equal(shorter.words.begin(), shorter.words.end(), longer.words.begin())) return std::nullopt;
  const auto is_any = [](const PatternWord& word) { return word.is_any(); };
  if (!std::all_of(longer.words.begin() + static_cast<std::ptrdiff_t>(size), longer.words.end(), is_any))
    return std::nullopt;
  CommandPattern both = shorter;
  both.words.pop_back();
  both.open_end = true;
  return both;
}

}  // namespace

bool PatternWord::is_any() const { return pieces.size() == 2 && pieces[0].empty() && pieces[1].empty(); }

std::string CommandPattern::text() const {
  std::string text = quoted_word(command);
  for (std::size_t i = 0; i < words.size(); ++i) text += " " + text_of(words[i], i + 1 == words.size() && !open_end);
  return text + (open_end ? " *" : "");
}

bool CommandPattern::has_star() const {
  return open_end ||
         std::any_of(words.begin(), words.end(), [](const PatternWord& word) { return !word.is_literal(); });
}

Generalised generalise(const std::vector<std::string>& argv, const std::vector<InputValue>& values,
                       const ShellReading& script) {
  if (argv.empty()) return {};
  return Generaliser(argv, values, script).run();
}

std::optional<CommandPattern> merged(const CommandPattern& a, const CommandPattern& b) {
  if (a.command != b.command) return std::nullopt;
  if (covers(a, b)) return a;
  if (covers(b, a)) return b;
  if (a.words.size() == b.words.size()) return merged_of_one_length(a, b);
  return a.words.size() < b.words.size() ? merged_of_two_lengths(a, b) : merged_of_two_lengths(b, a);
}

}  // namespace band::client::learn
