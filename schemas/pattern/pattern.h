// Patterns of paths, hosts and command lines. Pure; used by the client (which files to ship), the server (what to open)
// and `band validate`.
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

// Escapes a path for use in a path pattern, which then matches it literally.
std::string escaped_path(std::string_view path);

// ---- paths (allow.read, allow.write) ------------------------------------------------------------------------------
//
// `./data/**`     relative to the caller's workspace         `/opt/data/*.csv`   on the machine that runs the script
// `*` matches any characters of one segment, `?` one character, `[a-z]` and `[!a-z]` a class, and `**` (a whole
// segment) zero or more segments. Wildcards never match a segment that begins with a dot, unless the dot is written
// literally. A backslash makes the next character literal. `./dir/` and `./dir` match only the entry itself; `./dir/**`
// matches everything below it, but not the entry.
class PathPattern {
 public:
  // How a pattern is read. `Opens` (allow, insist): as described above. `Denies`: wildcards match names that begin with
  // a dot, too, so that `deny: ./secrets/**` also denies `./secrets/.key`.
  enum class Reading { Opens, Denies };

  // Errors (Code::SkillInvalid): an empty pattern; neither `./` nor `/` at the beginning; a segment `..` or `.`; `**`
  // with other characters in a segment; an unclosed `[`; a NUL byte; more than 4096 bytes; more than 64 segments.
  static Result<PathPattern> parse(std::string_view text);

  bool absolute() const { return absolute_; }
  const std::string& text() const { return text_; }

  // `path` must not begin with `./` or `/`: non-empty, normalised segments joined by '/'.
  bool matches(std::string_view path, Reading reading = Reading::Opens) const;
  // Returns false only if no path at or below directory `dir` ("" is the root) can match. A directory walk then skips
  // the subtree.
  bool may_match_below(std::string_view dir, Reading reading = Reading::Opens) const;
  // The literal segments before the first wildcard, joined by '/': a directory walk starts there.
  std::string literal_prefix() const;
  bool is_literal() const;     // without wildcards: matches exactly one path
  bool is_whole_tree() const;  // literal segments, then one final `**`: everything below literal_prefix()
  // Returns true only if this pattern matches every path that `inner`, read as Opens, matches; may return false
  // although it does.
  bool covers(const PathPattern& inner, Reading reading = Reading::Opens) const;
  // Returns false only if no path matches both patterns; this pattern is read as Opens. The default for
  // `reading_of_other` is safe for both readings.
  bool may_overlap(const PathPattern& other, Reading reading_of_other = Reading::Denies) const;

 private:
  // One element of a segment: `*`, or one byte of a set. Sets are shared, so a token has only four bytes.
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
  bool walk(std::string_view path, Reading reading, bool& accepted) const;
  bool step_matches(const Token& token, unsigned char byte) const;
  ByteSet bytes_of(const Token& token) const;
  bool segment_covers(const Segment& outer, const PathPattern& inner_pattern, const Segment& inner,
                      Reading reading) const;
  bool segments_meet(const Segment& mine, const PathPattern& other_pattern, const Segment& theirs,
                     Reading reading_of_other) const;

  bool absolute_ = false;
  std::string text_;
  std::vector<Segment> segments_;  // a final `**` is kept as `**` and `*`: at least one more segment
  std::vector<ByteSet> sets_;
};

// ---- hosts (allow.net) --------------------------------------------------------------------------------------------
//
// `name` `*.name` `*` `10.0.0.0/8` `192.0.2.1` `[2001:db8::1]` `localhost`, each with an optional `:port` or `:*`.
// Without a port: 443 and 80 in allow and insist, every port in deny. `*` matches every host name and address.
struct NetPattern {
  enum class Kind { Name, Subdomains, Any, Address, Cidr };
  Kind kind = Kind::Name;
  std::string host;                   // in canonical form (host_name.h); the base name for Subdomains; "" for Any
  Cidr range;                         // for Address (all bits) and Cidr
  bool any_port = false;              // `:*`
  std::optional<std::uint16_t> port;  // 1..65535
  std::string text;

  static Result<NetPattern> parse(std::string_view text);
  bool is_address() const { return kind == Kind::Address || kind == Kind::Cidr; }
  bool matches(std::string_view name) const;  // `name` must be canonical
  bool matches(const IpAddress& address) const;
  bool opens(std::uint16_t number) const;      // as in allow and insist
  bool closes(std::uint16_t number) const;     // as in deny
  bool covers(const NetPattern& inner) const;  // as PathPattern::covers, both read as allow rules
  // As PathPattern::may_overlap, both read as allow rules; `localhost` is 127.0.0.1.
  bool may_overlap(const NetPattern& other) const;
  NetPattern as_deny() const;  // an allow rule with the meaning of this pattern in deny: without a port, every port
};

// Parses a single name or address, with or without a port; returns nullopt for wildcards, CIDRs and `:*`.
std::optional<NetPattern> one_host(std::string_view text);

// ---- command lines (allow.cli) ------------------------------------------------------------------------------------
//
// A pattern is split and unquoted like shell words, without any expansion, and matched argument by argument. The first
// word is the command's name. `*` inside a word matches any characters of that argument. The word `*` matches exactly
// one argument; as the last word, zero or more further arguments. The word `**` matches zero or more arguments
// anywhere. Quoted and backslash-escaped characters are literal. Shell operators, and `?`, `[`, `{` and `~`, must be
// quoted.
class CliPattern {
 public:
  static Result<CliPattern> parse(std::string_view text);
  // Returns an allow rule with the meaning of this pattern in deny: it matches the line also with further arguments.
  CliPattern as_deny() const;

  const std::string& text() const { return text_; }
  // The first word, which is always literal. It may be a path (`/opt/x/tool`), which matches only this path.
  const std::string& command() const { return command_; }
  std::string_view base_name() const;                        // the command's base name
  bool takes_any_arguments() const;                          // `git *`, `git **`
  bool takes_any_first_argument() const;                     // `git * x`, `git ''* x`
  bool matches(const std::vector<std::string>& argv) const;  // argv[0] is the command's name
  // `arguments`: without the command; any number of arguments of arbitrary bytes.
  bool matches_arguments(std::span<const std::string> arguments) const;
  // Returns an upper bound for the steps (a few nanoseconds each) of `matches_arguments` for `arguments` arguments with
  // `bytes` bytes in total. Linear in both.
  std::uint64_t most_steps(std::size_t arguments, std::size_t bytes) const;
  // Returns how many leading arguments match word by word, up to the first `**`. Serves to find the intended pattern.
  std::size_t leading_matches(std::span<const std::string> arguments) const;
  bool covers(const CliPattern& inner) const;

 private:
  struct Word {
    enum class Kind { Glob, One, Rest } kind = Kind::Glob;
    std::vector<std::string> pieces;  // the literal pieces between the `*`s of a Glob; one piece: no `*`
  };
  std::string text_;
  std::string command_;
  std::vector<Word> words_;  // after the command
};

}  // namespace band
