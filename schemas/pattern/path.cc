// Path patterns: parsed once into segments of tokens, matched by a small automaton over segments, without backtracking.
// A segment costs at most (its tokens) x (bytes of the name), a path at most (its segments) x (segments of the
// pattern).
#include <algorithm>

#include "schemas/pattern/pattern.h"

namespace band {
namespace {

constexpr std::size_t kMaxPatternBytes = 4096;  // PATH_MAX
constexpr std::size_t kMaxSegments = 64;        // deeper than usual directory trees; a state set fits into two words

// A state is a position before a segment. The position before a `**` implies the position after it.
using States = std::bitset<kMaxSegments + 2>;

Error bad_path(std::string_view text, const std::string& what, const std::string& hint) {
  std::string shown(text.substr(0, 80));
  if (shown.size() < text.size()) shown += "...";
  return Error{.code = Code::SkillInvalid, .doing = "path pattern \"" + shown + "\" " + what, .hint = hint};
}

constexpr std::size_t kShownBytes = 80;

// Returns the hint for a file of the caller outside the workspace: run with its directory as the workspace. `rest` is
// the path below that directory.
std::string in_workspace(std::string_view directory, std::string_view rest) {
  while (rest.starts_with('/')) rest.remove_prefix(1);
  return "write `./" + (rest.empty() ? "**" : std::string(rest.substr(0, kShownBytes))) +
         "` and run with `--workspace " + std::string(directory) +
         "`: `./...` names a file of the caller, in the workspace; an absolute path names a file of the machine that "
         "runs the script" +
         (directory == "~"
              ? "; the script finds such a file in its current directory, because `~` is the empty home of "
                "the sandbox"
              : "");
}

// Returns the hint for a pattern with a segment `.` or `..`.
std::string mend_of_dots(std::string_view text) {
  std::string_view rest = text;
  while (rest.starts_with("./")) rest.remove_prefix(2);
  std::size_t up = 0;
  for (; up < 4 && (rest == ".." || rest.starts_with("../")); ++up)
    rest.remove_prefix(std::min<std::size_t>(rest.size(), 3));
  if (up == 0 || rest == ".." || rest.find("../") != std::string_view::npos)
    return "write the path without `.` and `..`";
  std::string above = "..";
  for (; up > 1; --up) above += "/..";
  return in_workspace(above, rest);
}

// Splits off the next segment of a normalised path; returns false at its end.
bool next_segment(std::string_view& rest, std::string_view& segment) {
  if (rest.empty()) return false;
  const std::size_t slash = rest.find('/');
  segment = rest.substr(0, slash);
  rest = slash == std::string_view::npos ? std::string_view{} : rest.substr(slash + 1);
  return true;
}

}  // namespace

// ---- parsing ------------------------------------------------------------------------------------------------------

struct PathPattern::Parser {
  std::string_view text;
  PathPattern pattern;

  Status parse_class(std::string_view word, std::size_t& at, Segment& segment);
  Status parse_segment(std::string_view word);
  Status parse_all(std::string_view body);
};

// `at` is the position after the '['; on return, the position after the ']'.
Status PathPattern::Parser::parse_class(std::string_view word, std::size_t& at, Segment& segment) {
  const Error unclosed = bad_path(text, "has a `[` without its `]`", "close the class, as in `[a-z]`, or write `\\[`");
  const auto one = [&](unsigned char& byte) {
    if (at < word.size() && word[at] == '\\') ++at;
    if (at >= word.size()) return false;
    byte = static_cast<unsigned char>(word[at++]);
    return true;
  };
  ByteSet set;
  const bool negated = at < word.size() && (word[at] == '!' || word[at] == '^');
  if (negated) ++at;
  for (bool first = true;; first = false) {
    if (at >= word.size()) return unclosed;
    if (word[at] == ']' && !first) break;
    unsigned char low = 0;
    if (!one(low)) return unclosed;
    unsigned char high = low;
    if (at + 1 < word.size() && word[at] == '-' && word[at + 1] != ']') {
      ++at;
      if (!one(high)) return unclosed;
    }
    if (high < low) return bad_path(text, "has a class with a reversed range", "write the smaller character first");
    for (unsigned byte = low; byte <= high; ++byte) set.set(byte);
  }
  ++at;
  if (negated) set.flip();
  if (set.none()) return bad_path(text, "has a class that matches nothing", "remove it");
  segment.tokens.push_back({Token::Kind::Set, 0, static_cast<std::uint16_t>(pattern.sets_.size())});
  pattern.sets_.push_back(set);
  return done();
}

Status PathPattern::Parser::parse_segment(std::string_view word) {
  Segment segment;
  if (word == "**") {
    segment.deep = true;
    // `**/**` means `**`.
    if (pattern.segments_.empty() || !pattern.segments_.back().deep) pattern.segments_.push_back(std::move(segment));
    return done();
  }
  std::string literal;  // the unescaped text, to find `..` in any escaped form
  for (std::size_t at = 0; at < word.size();) {
    const char c = word[at++];
    if (c == '[') {
      BAND_CHECK(parse_class(word, at, segment));
    } else if (c == '*') {
      if (at < word.size() && word[at] == '*')
        return bad_path(text, "has `**` next to other characters in a segment",
                        "make `**` a segment of its own, as in `**/*.txt`");
      segment.tokens.push_back({Token::Kind::Star, 0, 0});
    } else if (c == '?') {
      segment.tokens.push_back({Token::Kind::Any, 0, 0});
    } else {
      if (c == '\\' && at >= word.size())
        return bad_path(text, "has a backslash that escapes nothing", "write `\\\\` for a backslash");
      const char byte = c == '\\' ? word[at++] : c;
      literal += byte;
      segment.tokens.push_back({Token::Kind::Byte, static_cast<unsigned char>(byte), 0});
    }
  }
  if (literal.size() == segment.tokens.size() && (literal == ".." || literal == "."))
    return bad_path(text, "has a segment `" + literal + "`", mend_of_dots(text));
  pattern.segments_.push_back(std::move(segment));
  return done();
}

Status PathPattern::Parser::parse_all(std::string_view body) {
  std::string_view word;
  while (next_segment(body, word)) {
    if (word.empty()) continue;  // `a//b` means `a/b`, and a trailing slash has no meaning
    if (pattern.segments_.size() >= kMaxSegments)
      return bad_path(text, "has more than 64 segments", "name a directory nearer to the root, followed by `**`");
    BAND_CHECK(parse_segment(word));
  }
  if (pattern.segments_.empty())
    return bad_path(text, "names no file or directory", "write `" + std::string(text) + "**` for everything below it");
  if (pattern.segments_.back().deep) {  // everything below, but not the entry itself
    Segment any;
    any.tokens.push_back({Token::Kind::Star, 0, 0});
    pattern.segments_.push_back(std::move(any));
  }
  return done();
}

std::string escaped_path(std::string_view path) {
  std::string text;
  for (const char c : path) {
    if (std::string_view("*?[]\\").find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text;
}

Result<PathPattern> PathPattern::parse(std::string_view text) {
  if (text.empty()) return bad_path(text, "is empty", "name a path, as in `./data/**`, or remove the entry");
  if (text.size() > kMaxPatternBytes) return bad_path(text, "is longer than 4096 bytes", "shorten it");
  if (text.find('\0') != std::string_view::npos) return bad_path(text, "has a NUL byte", "remove it");
  const bool absolute = text.front() == '/';
  if (!absolute && text.substr(0, 2) != "./") {
    const bool up = text == ".." || text.starts_with("../");
    if (up) return bad_path(text, "has a segment `..`", mend_of_dots(text));
    constexpr const char* kNeither = "begins with neither `./` nor `/`";
    if (text == "~" || text.starts_with("~/")) return bad_path(text, kNeither, in_workspace("~", text.substr(1)));
    const std::string mend = text == "." ? "./**" : "./" + std::string(text.substr(0, kShownBytes));
    return bad_path(text, kNeither,
                    "write `" + mend + "` (`./` is the workspace, `/` the machine that runs the script)");
  }
  Parser parser{text, {}};
  parser.pattern.absolute_ = absolute;
  parser.pattern.text_ = std::string(text);
  BAND_CHECK(parser.parse_all(text.substr(absolute ? 1 : 2)));
  return std::move(parser.pattern);
}

// ---- matching -----------------------------------------------------------------------------------------------------

bool PathPattern::step_matches(const Token& token, unsigned char byte) const {
  switch (token.kind) {
    case Token::Kind::Byte:
      return token.byte == byte;
    case Token::Kind::Set:
      return sets_[token.set].test(byte);
    case Token::Kind::Any:
    case Token::Kind::Star:
      return true;
  }
  return false;
}

// Only the last `*` needs to be retried: bytes that an earlier `*` could match, the last one can match, too.
bool PathPattern::single_matches(const Segment& segment, std::string_view name, Reading reading) const {
  const std::vector<Token>& tokens = segment.tokens;
  const bool dot_written = !tokens.empty() && tokens[0].kind == Token::Kind::Byte && tokens[0].byte == '.';
  if (name.empty() || (name[0] == '.' && !dot_written && reading == Reading::Opens)) return false;
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t at = 0, i = 0, star = kNone, retry = 0;
  while (at < name.size()) {
    if (i < tokens.size() && tokens[i].kind == Token::Kind::Star) {
      star = i++;
      retry = at;
    } else if (i < tokens.size() && step_matches(tokens[i], static_cast<unsigned char>(name[at]))) {
      ++i, ++at;
    } else if (star != kNone) {
      i = star + 1;
      at = ++retry;
    } else {
      return false;
    }
  }
  while (i < tokens.size() && tokens[i].kind == Token::Kind::Star) ++i;
  return i == tokens.size();
}

// Runs the automaton on `path`. `spelled`: as for matches_spelled(). `ends_at_match`: stops after the shortest match.
PathPattern::Walked PathPattern::walk(std::string_view path, Reading reading, const std::vector<bool>& spelled,
                                      bool ends_at_match) const {
  const std::size_t end = segments_.size();
  const char* const begin = path.data();
  const auto close = [&](States& states) {
    for (std::size_t i = 0; i < end; ++i)
      if (states.test(i) && segments_[i].deep) states.set(i + 1);
  };
  States states;
  states.set(0);
  close(states);
  std::string_view name;
  for (std::size_t place = 0; next_segment(path, name); ++place) {
    const bool must_spell = place < spelled.size() && spelled[place];
    States next;
    for (std::size_t i = 0; i < end; ++i) {
      if (!states.test(i) || (must_spell && !is_spelled(segments_[i]))) continue;
      if (!segments_[i].deep) {
        if (single_matches(segments_[i], name, reading)) next.set(i + 1);
      } else if (!name.empty() && (name[0] != '.' || reading == Reading::Denies)) {
        next.set(i);
      }
    }
    close(next);
    states = next;
    if (states.none()) return {};
    if (ends_at_match && states.test(end))
      return {true, true, static_cast<std::size_t>(name.data() + name.size() - begin)};
  }
  return {true, states.test(end), {}};
}

bool PathPattern::matches(std::string_view path, Reading reading) const {
  return !path.empty() && walk(path, reading).matches;
}

bool PathPattern::matches_spelled(std::string_view path, const std::vector<bool>& spelled) const {
  return !path.empty() && walk(path, Reading::Opens, spelled).matches;
}

std::optional<std::size_t> PathPattern::shortest_match(std::string_view path, Reading reading) const {
  return walk(path, reading, {}, true).shortest;
}

bool PathPattern::may_match_below(std::string_view dir, Reading reading) const { return walk(dir, reading).alive; }

// ---- shape --------------------------------------------------------------------------------------------------------

std::string PathPattern::literal_prefix() const {
  std::string prefix;
  for (const Segment& segment : segments_) {
    std::string name;
    for (const Token& token : segment.tokens)
      if (token.kind == Token::Kind::Byte) name += static_cast<char>(token.byte);
    if (segment.deep || name.size() != segment.tokens.size()) break;
    if (!prefix.empty()) prefix += '/';
    prefix += name;
  }
  return prefix;
}

bool PathPattern::is_spelled(const Segment& segment) {
  return !segment.deep && std::all_of(segment.tokens.begin(), segment.tokens.end(),
                                      [](const Token& token) { return token.kind == Token::Kind::Byte; });
}

bool PathPattern::is_literal() const { return std::all_of(segments_.begin(), segments_.end(), is_spelled); }

std::string PathPattern::spelled_names() const {
  std::string names;
  for (const Segment& segment : segments_) {
    if (!names.empty()) names += '/';
    if (!is_spelled(segment)) names += '*';
    for (const Token& token : segment.tokens)
      if (is_spelled(segment)) names += static_cast<char>(token.byte);
  }
  return names;
}

std::optional<PathPattern> PathPattern::below() const {
  std::string text = text_;
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  auto wider = parse(text + (text.ends_with("/*") ? "*" : "/**"));
  if (!wider.ok()) return std::nullopt;
  return std::move(wider).value();
}

bool PathPattern::is_whole_tree() const {
  if (segments_.size() < 2 || !segments_[segments_.size() - 2].deep) return false;
  const Segment& last = segments_.back();
  if (last.tokens.size() != 1 || last.tokens[0].kind != Token::Kind::Star) return false;
  return std::all_of(segments_.begin(), segments_.end() - 2, is_spelled);
}

}  // namespace band
