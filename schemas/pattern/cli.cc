// Patterns of command lines. Words are split as a shell splits them and compared with the argument vector word by word,
// not as a joined string, in which an argument with a space could match two words.
#include <algorithm>
#include <cstring>

#include "schemas/core/json_text.h"
#include "schemas/pattern/pattern.h"

namespace band {
namespace {

constexpr std::size_t kMaxPatternBytes = 4096;
constexpr std::size_t kMaxWords = 256;

Error bad_cli(std::string_view text, const std::string& what, const std::string& hint) {
  return Error{.code = Code::SkillInvalid,
               .doing = "cli pattern \"" + std::string(text.substr(0, 80)) + "\" " + what,
               .hint = hint};
}

// A word while it is being read: literal pieces between unquoted stars.
struct Raw {
  std::vector<std::string> pieces{""};
  bool started = false;  // a quote starts a word, even an empty one
  bool quoted = false;
  bool double_star = false;

  void literal(char c) {
    pieces.back() += c;
    started = true;
  }
  void star() {
    double_star = double_star || (started && pieces.size() > 1 && pieces.back().empty());
    pieces.emplace_back();
    started = true;
  }
};

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Operators of a shell. They have no meaning in a pattern, so a rule with an unquoted operator would silently never
// match.
bool is_shell_only(char c) { return std::string_view("|&;<>()`$\n\r").find(c) != std::string_view::npos; }

// Characters that a shell expands. An author who writes one of them without quotes expects the expansion.
bool is_expansion(char c) { return std::string_view("?[{~").find(c) != std::string_view::npos; }

constexpr std::size_t kMaxShownBefore = 60, kMaxShownBehind = 60;

// Returns `text` with quotes around each character that needs them, from position `odd` on: `HEAD~1` becomes
// `HEAD'~'1` and not `'HEAD~1'`, because a `*` in the word must stay a wildcard.
std::string with_quotes(std::string_view text, std::size_t odd) {
  std::string quoted(text.substr(0, odd));
  char quote = 0;  // the open quote, or 0
  for (std::size_t at = odd; at < text.size(); ++at) {
    const char c = text[at];
    if (quote == 0 && (is_expansion(c) || is_shell_only(c))) {
      quoted += "'" + std::string(1, c) + "'";
      continue;
    }
    quoted += c;
    if (c == '\\' && quote != '\'' && at + 1 < text.size())
      quoted += text[++at];
    else if (quote == 0 && (c == '\'' || c == '"'))
      quote = c;
    else if (c == quote)
      quote = 0;
  }
  return quoted;
}

// Returns the pattern that the author probably intended, for a hint. It is a double-quoted string, because in a
// single-quoted string of YAML the quotes around a character would end the string; JSON strings are valid YAML. A long
// pattern is cut.
std::string suggested(std::string_view text, std::size_t odd) {
  std::string shown = with_quotes(text, odd);
  const std::size_t begin = odd - std::min(odd, kMaxShownBefore);
  if (shown.size() > odd + kMaxShownBehind) shown = shown.substr(0, odd + kMaxShownBehind) + "...";
  if (begin > 0) shown = "..." + shown.substr(begin);
  return json_string(shown);
}

class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {}

  Result<std::vector<Raw>> split() {
    std::vector<Raw> words;
    Raw word;
    while (at_ <= text_.size()) {
      if (at_ == text_.size() || is_blank(text_[at_])) {
        if (word.started) words.push_back(std::move(word));
        word = Raw{};
        ++at_;
        continue;
      }
      BAND_CHECK(step(word));
    }
    return words;
  }

 private:
  Status step(Raw& word) {
    const char c = text_[at_++];
    if (c == '\'' || c == '"') return quoted(word, c);
    if (c == '\\') {
      if (at_ == text_.size()) return bad_cli(text_, "ends with a backslash", "write `\\\\` for a backslash");
      word.literal(text_[at_++]);
    } else if (c == '*') {
      word.star();
    } else if (is_expansion(c)) {
      return bad_cli(text_,
                     "has an unquoted `" + std::string(1, c) + "`, but `*` is the only wildcard of a command line",
                     "write `" + suggested(text_, at_ - 1) + "` if the argument contains this character");
    } else if (is_shell_only(c)) {
      const std::string shown = c == '\n' || c == '\r' ? "a line break" : std::string("`") + c + "`";
      return bad_cli(text_, "has an unquoted " + shown + ", which has no meaning in a pattern",
                     "quote it if the argument contains it, as in `" + suggested(text_, at_ - 1) + "`");
    } else {
      word.literal(c);
    }
    return done();
  }

  Status quoted(Raw& word, char quote) {
    word.started = word.quoted = true;
    for (;;) {
      if (at_ == text_.size())
        return bad_cli(text_, std::string("has a ") + quote + " that is not closed",
                       "close the quote, or write `\\" + std::string(1, quote) + "`");
      char c = text_[at_++];
      if (c == quote) return done();
      // In double quotes a backslash escapes only these characters (POSIX.1 section 2.2.3).
      const bool escape = quote == '"' && c == '\\' && at_ < text_.size() &&
                          std::string_view("\"\\$`").find(text_[at_]) != std::string_view::npos;
      if (escape) c = text_[at_++];
      word.literal(c);
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool good_command(const std::string& command) {
  if (command.empty() || command == "." || command == "..") return false;
  for (const char c : command)
    if (static_cast<unsigned char>(c) < 0x21 || c == 0x7f) return false;
  if (command.find('/') == std::string::npos) return true;
  if (command.front() != '/' || command.back() == '/') return false;
  const std::string framed = command + "/";
  return framed.find("//") == std::string::npos && framed.find("/./") == std::string::npos &&
         framed.find("/../") == std::string::npos;
}

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// Returns the first position of `piece` in `text` (Knuth-Morris-Pratt). string_view::find needs the product of both
// lengths for a long `aaa...` and a piece like `aa...b`, and scripts can pass arguments of megabytes.
std::size_t find_piece(std::string_view text, std::string_view piece) {
  if (piece.size() > text.size()) return kNone;
  if (piece.empty()) return 0;
  std::vector<std::size_t> border(piece.size(), 0);  // for each prefix: the length of its longest border
  for (std::size_t i = 1, length = 0; i < piece.size(); ++i) {
    while (length > 0 && piece[i] != piece[length]) length = border[length - 1];
    if (piece[i] == piece[length]) ++length;
    border[i] = length;
  }
  for (std::size_t at = 0, length = 0; at < text.size(); ++at) {
    if (length == 0) {
      const void* next = std::memchr(text.data() + at, piece[0], text.size() - at);
      if (next == nullptr) return kNone;
      at = static_cast<std::size_t>(static_cast<const char*>(next) - text.data());
    }
    while (length > 0 && text[at] != piece[length]) length = border[length - 1];
    if (text[at] == piece[length]) ++length;
    if (length == piece.size()) return at + 1 - length;
  }
  return kNone;
}

// Returns whether `argument` begins with the first piece, ends with the last one, and has the others between, in order.
bool glob_matches(const std::vector<std::string>& pieces, std::string_view argument) {
  if (pieces.size() == 1) return argument == pieces[0];
  const std::string& front = pieces.front();
  const std::string& back = pieces.back();
  if (argument.size() < front.size() + back.size() || argument.substr(0, front.size()) != front ||
      argument.substr(argument.size() - back.size()) != back)
    return false;
  std::string_view rest = argument.substr(front.size(), argument.size() - front.size() - back.size());
  for (std::size_t i = 1; i + 1 < pieces.size(); ++i) {
    const std::size_t found = find_piece(rest, pieces[i]);
    if (found == kNone) return false;
    rest = rest.substr(found + pieces[i].size());
  }
  return true;
}

// A glob as a sequence of numbers for comparison: 0..255 for bytes, 256 for `*`.
constexpr std::uint16_t kStar = 256;
std::vector<std::uint16_t> tokens_of(const std::vector<std::string>& pieces) {
  std::vector<std::uint16_t> tokens;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i > 0) tokens.push_back(kStar);
    for (const char c : pieces[i]) tokens.push_back(static_cast<unsigned char>(c));
  }
  return tokens;
}

// Returns whether `outer` covers `inner`: an item with is_any() covers any number of items, each other item exactly
// one.
template <class Item, class IsAny, class Covers>
bool sequence_covers(const std::vector<Item>& outer, const std::vector<Item>& inner, const IsAny& is_any,
                     const Covers& covers) {
  // row[j]: the items of `outer` from i on cover those of `inner` from j on. below: the row of i + 1.
  std::vector<char> row(inner.size() + 1), below(inner.size() + 1);
  for (std::size_t i = outer.size() + 1; i-- > 0;) {
    for (std::size_t j = inner.size() + 1; j-- > 0;) {
      if (i == outer.size())
        row[j] = j == inner.size();
      else if (is_any(outer[i]))
        row[j] = below[j] != 0 || (j < inner.size() && row[j + 1] != 0);
      else
        row[j] = j < inner.size() && below[j + 1] != 0 && covers(outer[i], inner[j]);
    }
    row.swap(below);
  }
  return below[0] != 0;
}

// Returns whether every string that `inner` matches is matched by `outer`.
bool glob_covers(const std::vector<std::string>& outer, const std::vector<std::string>& inner) {
  if (outer.size() == 1) return inner.size() == 1 && outer[0] == inner[0];
  if (inner.size() == 1) return glob_matches(outer, inner[0]);
  return sequence_covers(
      tokens_of(outer), tokens_of(inner), [](std::uint16_t token) { return token == kStar; },
      [](std::uint16_t one, std::uint16_t other) { return one == other; });
}

}  // namespace

Result<CliPattern> CliPattern::parse(std::string_view text) {
  if (text.empty()) return bad_cli(text, "is empty", "name a command, as in `git status`, or remove the entry");
  if (text.size() > kMaxPatternBytes) return bad_cli(text, "is longer than 4096 bytes", "shorten it");
  if (text.find('\0') != std::string_view::npos) return bad_cli(text, "has a NUL byte", "remove it");
  BAND_TRY(std::vector<Raw> raw, Splitter(text).split());
  if (raw.empty()) return bad_cli(text, "names no command", "name one, as in `git status`");
  if (raw.size() > kMaxWords)
    return bad_cli(text, "has more than 256 words", "write the first words, then `*` for all others");
  if (raw[0].pieces.size() != 1)
    return bad_cli(text, "has a `*` in its command", "name the command; each command needs its own entry");
  CliPattern pattern;
  pattern.text_ = std::string(text);
  pattern.command_ = raw[0].pieces[0];
  if (!good_command(pattern.command_))
    return bad_cli(text, "does not begin with a command name",
                   "begin with a name, as in `git`, or a full path, as in `/opt/x/tool`");
  for (std::size_t i = 1; i < raw.size(); ++i) {
    const bool bare = !raw[i].quoted;
    const std::vector<std::string>& pieces = raw[i].pieces;
    const bool single = bare && pieces == std::vector<std::string>{"", ""};
    const bool twice = bare && pieces == std::vector<std::string>{"", "", ""};
    Word word;
    if (twice || (single && i + 1 == raw.size()))
      word.kind = Word::Kind::Rest;
    else if (single)
      word.kind = Word::Kind::One;
    else if (raw[i].double_star)
      return bad_cli(text, "has `**` next to other characters in a word", "write one `*` for the rest of an argument");
    if (word.kind != Word::Kind::Rest) word.pieces = pieces;
    pattern.words_.push_back(std::move(word));
  }
  return pattern;
}

CliPattern CliPattern::as_deny() const {
  CliPattern deny = *this;
  if (words_.empty() || words_.back().kind != Word::Kind::Rest) deny.words_.push_back({Word::Kind::Rest, {}});
  return deny;
}

std::string_view CliPattern::base_name() const {
  const std::string_view command = command_;
  return command.substr(command.rfind('/') + 1);  // npos + 1 is 0
}

bool CliPattern::takes_any_arguments() const {
  return !words_.empty() &&
         std::all_of(words_.begin(), words_.end(), [](const Word& word) { return word.kind == Word::Kind::Rest; });
}

bool CliPattern::takes_any_first_argument() const {
  if (words_.empty()) return false;
  const Word& first = words_.front();
  const bool is_star = first.pieces.size() > 1 && std::all_of(first.pieces.begin(), first.pieces.end(),
                                                              [](const std::string& piece) { return piece.empty(); });
  return first.kind != Word::Kind::Glob || is_star;
}

bool CliPattern::matches(const std::vector<std::string>& argv) const {
  return !argv.empty() && argv[0] == command_ && matches_arguments(std::span(argv).subspan(1));
}

// Only the last `**` needs to be retried (see PathPattern::single_matches).
bool CliPattern::matches_arguments(std::span<const std::string> arguments) const {
  std::size_t at = 0, i = 0, rest = kNone, retry = 0;
  while (at < arguments.size()) {
    if (i < words_.size() && words_[i].kind == Word::Kind::Rest) {
      if (i + 1 == words_.size()) return true;
      rest = i++;
      retry = at;
    } else if (i < words_.size() && glob_matches(words_[i].pieces, arguments[at])) {
      ++i, ++at;
    } else if (rest != kNone) {
      i = rest + 1;
      at = ++retry;
    } else {
      return false;
    }
  }
  while (i < words_.size() && words_[i].kind == Word::Kind::Rest) ++i;
  return i == words_.size();
}

std::uint64_t CliPattern::most_steps(std::size_t arguments, std::size_t bytes) const {
  // Words with several `*` search the whole argument; other words only compare its two ends.
  const auto searches = [](const Word& word) { return word.pieces.size() > 2; };
  const auto searching = static_cast<std::uint64_t>(std::count_if(words_.begin(), words_.end(), searches));
  const auto is_rest = [](const Word& word) { return word.kind == Word::Kind::Rest; };
  const bool retries = !words_.empty() && std::any_of(words_.begin(), words_.end() - 1, is_rest);
  if (!retries) return words_.size() + (searching > 0 ? bytes : 0);  // each argument is compared with one word
  return words_.size() * std::uint64_t{arguments} + searching * bytes;
}

std::size_t CliPattern::leading_matches(std::span<const std::string> arguments) const {
  const std::size_t most = std::min(words_.size(), arguments.size());
  std::size_t count = 0;
  while (count < most && words_[count].kind != Word::Kind::Rest && glob_matches(words_[count].pieces, arguments[count]))
    ++count;
  return count;
}

bool CliPattern::covers(const CliPattern& inner) const {
  if (command_ != inner.command_) return false;
  const auto is_rest = [](const Word& word) { return word.kind == Word::Kind::Rest; };
  return sequence_covers(words_, inner.words_, is_rest, [&](const Word& one, const Word& other) {
    return !is_rest(other) && glob_covers(one.pieces, other.pieces);
  });
}

}  // namespace band
