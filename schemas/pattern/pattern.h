// Patterns of paths, hosts and command lines: the texts in the rules of a band. Pure. The client uses patterns to find
// the files that it sends, the server uses them to decide what a script may do, and `band validate` checks rules with
// them.
//
// In the names of functions and values here, a pattern *opens* a path or port when the pattern is in `allow` or
// `insist`, and *closes* it when the pattern is in `deny`.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/address/ip_address.h"
#include "schemas/core/result.h"

namespace band {

// Returns the path escaped for use in a path pattern, so that the pattern matches exactly this path.
std::string escaped_path(std::string_view path);

// ---- paths (allow.read, allow.write) ------------------------------------------------------------------------------
//
// `./data/**` is relative to the caller's workspace; `/opt/data/*.csv` is on the machine that runs the script.
// A segment is the text between two slashes. Within a segment, `*` matches any number of characters, `?` one character,
// and `[a-z]` or `[!a-z]` one character of a class. `**` must be a whole segment; it matches zero or more segments, or
// one or more at the end of the pattern.
// A wildcard does not match a segment that begins with a dot, unless the pattern has this dot literally. A backslash
// makes the next character literal. `./dir/` and `./dir` match only the directory itself; `./dir/**` matches everything
// below the directory, but not the directory.
class PathPattern {
 public:
  // The section that has the pattern. `Opens` (allow and insist): the pattern matches as described above. `Denies`
  // (deny): wildcards also match names that begin with a dot, so that `deny: ./secrets/**` denies `./secrets/.key`.
  enum class Reading { Opens, Denies };

  // Errors (Code::SkillInvalid): an empty pattern; neither `./` nor `/` at the beginning; a segment `..` or `.`; `**`
  // with other characters in a segment; an unclosed `[`, or a class that matches nothing or has a reversed range; a
  // backslash at the end of a segment; no segment (`./`); a NUL byte; more than 4096 bytes; more than 64 segments.
  static Result<PathPattern> parse(std::string_view text);

  bool absolute() const { return absolute_; }
  const std::string& text() const { return text_; }

  // `path` must consist of segments joined by single slashes, none of them `.` or `..`, and must not begin with `./` or
  // `/`: for the pattern `/opt/data/*.csv`, `path` can be `opt/data/a.csv`.
  bool matches(std::string_view path, Reading reading = Reading::Opens) const;
  // As matches(), but a segment of `path` whose place in `spelled` is true must be matched by a segment without
  // wildcards: the pattern spells this name. Segments beyond the end of `spelled` can be matched by wildcards.
  bool matches_spelled(std::string_view path, const std::vector<bool>& spelled) const;
  // Returns the pattern as a path in which each segment with a wildcard is `*`: the names that the pattern spells.
  std::string spelled_names() const;
  // Returns the length of the shortest of `path` and the directories above it that this pattern matches. The time is
  // that of one matches(), for a path of any depth.
  std::optional<std::size_t> shortest_match(std::string_view path, Reading reading) const;
  // Returns false only if neither `dir` ("" is the root) nor a path below `dir` can match. A directory walk skips a
  // directory for which the result is false.
  bool may_match_below(std::string_view dir, Reading reading = Reading::Opens) const;
  // Returns the segments before the first segment with a wildcard, unescaped and joined by '/'; "" if there are none. A
  // directory walk starts in this directory.
  std::string literal_prefix() const;
  bool is_literal() const;     // has no wildcard, so it matches exactly one path
  bool is_whole_tree() const;  // literal segments, then one final `**`: matches everything below literal_prefix()
  // Returns a pattern that matches everything below the paths that this pattern matches: `./a/**` for `./a`. For a `*`
  // as the last segment, the result also matches these paths: `./a/**` for `./a/*`. nullopt: the result would have too
  // many bytes or segments.
  std::optional<PathPattern> below() const;
  // Returns true only if this pattern, read as `reading`, matches every path that `inner`, read as Opens, matches. For
  // some pairs of patterns the function returns false although this pattern matches all of these paths.
  bool covers(const PathPattern& inner, Reading reading = Reading::Opens) const;
  // Returns false only if no path matches both patterns. This pattern is read as Opens, `other` as `reading_of_other`.
  // The default Denies is right for `other` from any section: as Denies, a pattern matches at least the paths that it
  // matches as Opens.
  bool may_overlap(const PathPattern& other, Reading reading_of_other = Reading::Denies) const;

 private:
  // One element of a segment: a literal byte, any byte (`?`), one byte of a set (`[a-z]`), or `*`. A token has the
  // index of its set instead of the set, so that a token has only four bytes.
  struct Token {
    enum class Kind : std::uint8_t { Byte, Any, Set, Star } kind = Kind::Byte;
    unsigned char byte = 0;
    std::uint16_t set = 0;  // index into sets_
  };
  struct Segment {
    bool deep = false;  // `**`
    std::vector<Token> tokens;
  };
  using ByteSet = std::bitset<256>;
  struct Parser;

  bool single_matches(const Segment& segment, std::string_view name, Reading reading) const;
  static bool is_spelled(const Segment& segment);  // has no wildcard
  // Returned by walk(): whether `path`, or a path below it, can match; whether `path` matches; shortest_match().
  struct Walked {
    bool alive = false, matches = false;
    std::optional<std::size_t> shortest;
  };
  Walked walk(std::string_view path, Reading reading, const std::vector<bool>& spelled = {},
              bool ends_at_match = false) const;
  bool step_matches(const Token& token, unsigned char byte) const;
  ByteSet bytes_of(const Token& token) const;
  bool segment_covers(const Segment& outer, const PathPattern& inner_pattern, const Segment& inner,
                      Reading reading) const;
  bool segments_meet(const Segment& mine, const PathPattern& other_pattern, const Segment& theirs,
                     Reading reading_of_other) const;

  bool absolute_ = false;
  std::string text_;
  std::vector<Segment> segments_;  // a final `**` is stored as `**` and `*`, so that it matches one segment or more
  std::vector<ByteSet> sets_;
};

// ---- hosts (allow.net) --------------------------------------------------------------------------------------------
//
// `name` `*.name` `*` `10.0.0.0/8` `192.0.2.1` `[2001:db8::1]` `localhost`, each with an optional `:port` or `:*`.
// A pattern without a port means ports 443 and 80 in allow and insist, and every port in deny. `*` matches every host
// name and address.
struct NetPattern {
  enum class Kind { Name, Subdomains, Any, Address, Cidr };
  Kind kind = Kind::Name;
  std::string host;                   // in canonical form (host_name.h); for `*.name`, only `name`; "" for Any
  Cidr range;                         // for Cidr; also for Address, as a range of one address
  bool any_port = false;              // `:*`
  std::optional<std::uint16_t> port;  // 1..65535
  std::string text;

  static Result<NetPattern> parse(std::string_view text);
  bool is_address() const { return kind == Kind::Address || kind == Kind::Cidr; }
  bool matches(std::string_view name) const;  // `name` must be canonical
  bool matches(const IpAddress& address) const;
  bool opens(std::uint16_t number) const;   // whether the pattern includes this port in allow and insist
  bool closes(std::uint16_t number) const;  // whether the pattern includes this port in deny
  // As PathPattern::covers and may_overlap, with both patterns read as in allow. may_overlap() treats `localhost` as
  // 127.0.0.1.
  bool covers(const NetPattern& inner) const;
  bool may_overlap(const NetPattern& other) const;
  // Returns a pattern for `allow` that matches what this pattern matches in `deny`: if this pattern has no port, the
  // result has the port `:*`.
  NetPattern as_deny() const;
};

// Parses a single name or address, with or without a port. Returns nullopt for wildcards, CIDRs and `:*`.
std::optional<NetPattern> one_host(std::string_view text);

// ---- command lines (allow.cli) ------------------------------------------------------------------------------------
//
// A pattern is split into words and unquoted as in a shell, without any expansion. The first word is the command; each
// further word is compared with one argument. `*` inside a word matches any characters of the argument. The word `*`
// matches exactly one argument, but as the last word it matches zero or more arguments. The word `**` matches zero or
// more arguments at any position. Quoted and backslash-escaped characters are literal. Shell operators, and `?`, `[`,
// `{` and `~`, must be quoted.
class CliPattern {
 public:
  static Result<CliPattern> parse(std::string_view text);
  // Returns a pattern for `allow` that matches what this pattern matches in `deny`: in `deny`, a pattern also matches a
  // command line with further arguments.
  CliPattern as_deny() const;

  const std::string& text() const { return text_; }
  // The first word, which is always literal: a name, or an absolute path (`/opt/x/tool`) that matches only itself.
  const std::string& command() const { return command_; }
  std::string_view base_name() const;                        // the base name of command()
  bool takes_any_arguments() const;                          // true for `git *`, `git **`
  bool takes_any_first_argument() const;                     // true for `git * x`, `git ''* x`
  bool matches(const std::vector<std::string>& argv) const;  // argv[0] is the command's name
  // Compares only the arguments: `arguments` is argv without argv[0], and may have arbitrary bytes.
  bool matches_arguments(std::span<const std::string> arguments) const;
  // Returns an upper bound for the steps (a few nanoseconds each) that `matches_arguments` needs for `arguments`
  // arguments with `bytes` bytes in total. The bound is linear in both numbers.
  std::uint64_t most_steps(std::size_t arguments, std::size_t bytes) const;
  // Returns how many leading arguments match the words of this pattern before its first `**`. For a command line that
  // no pattern matches, the pattern with the highest result is probably the intended one.
  std::size_t leading_matches(std::span<const std::string> arguments) const;
  bool covers(const CliPattern& inner) const;  // as PathPattern::covers, with both patterns read as in allow

 private:
  struct Word {
    enum class Kind { Glob, One, Rest } kind = Kind::Glob;
    std::vector<std::string> pieces;  // the literal text between the `*`s of a Glob; one piece: no `*`
  };
  std::string text_;
  std::string command_;
  std::vector<Word> words_;  // after the command
};

}  // namespace band
