// What a pattern means. Pure; used alike by the client (what to ship), the server (what to open) and `band validate`.
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

// A path as a part of a path pattern that means it literally.
std::string escaped_path(std::string_view path);

// ---- paths (allow.read, allow.write) ------------------------------------------------------------------------------
//
// `./data/**`     relative to the caller's workspace         `/opt/data/*.csv`   on the machine that runs the script
// `*` any characters of one segment, `?` one character, `[a-z]` `[!a-z]` a class, `**` (a whole segment) any number of
// segments, none included. Wildcards in a segment never match a segment that begins with a dot; a literal does. A
// backslash makes the next character literal. `./dir/` and `./dir` are the entry itself only; `./dir/**` is everything
// below it (not the entry itself).
class PathPattern {
 public:
  // How a pattern is read. `Opens` (allow, insist) is what stands above. `Denies` is wider: there wildcards match names
  // that begin with a dot as well, so that `deny: ./secrets/**` has no hole named `.key`.
  enum class Reading { Opens, Denies };

  // Errors (Code::SkillInvalid): empty; neither `./` nor `/` in front; a segment `..` or `.`; `**` beside other
  // characters in a segment; an unclosed `[`; a NUL byte; over 4096 bytes; more than 64 segments.
  static Result<PathPattern> parse(std::string_view text);

  bool absolute() const { return absolute_; }
  const std::string& text() const { return text_; }

  // `path` without the leading `./` or `/`: segments joined by '/', normalised, non-empty.
  bool matches(std::string_view path, Reading reading = Reading::Opens) const;
  // Could any path at or below directory `dir` ("" is the root) match? Lets a walk skip whole subtrees. Never a false
  // no.
  bool may_match_below(std::string_view dir, Reading reading = Reading::Opens) const;
  // The literal segments in front of the first wildcard, joined by '/': where a walk starts.
  std::string literal_prefix() const;
  bool is_literal() const;     // no wildcard: names exactly one path
  bool is_whole_tree() const;  // literal segments, then one final `**`: everything below literal_prefix()
  // True only if every path that `inner`, read as Opens, matches is matched by this pattern; may be false although that
  // holds.
  bool covers(const PathPattern& inner, Reading reading = Reading::Opens) const;
  // False only if no path can be matched by both; this pattern is read as Opens. The default reading of `other` is safe
  // for both.
  bool may_overlap(const PathPattern& other, Reading reading_of_other = Reading::Denies) const;

 private:
  // One step of a segment: `*`, or one byte out of a set. Sets are shared: a token costs four bytes.
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
// Without a port: 443 and 80 in allow and insist, every port in deny. `*` is every host, written as a name or an
// address.
struct NetPattern {
  enum class Kind { Name, Subdomains, Any, Address, Cidr };
  Kind kind = Kind::Name;
  std::string host;                   // canonical_name of it (host_name.h); the base name for Subdomains; "" for Any
  Cidr range;                         // for Address (all bits) and Cidr
  bool any_port = false;              // `:*`
  std::optional<std::uint16_t> port;  // 1..65535
  std::string text;

  static Result<NetPattern> parse(std::string_view text);
  bool is_address() const { return kind == Kind::Address || kind == Kind::Cidr; }
  bool matches(std::string_view name) const;  // a canonical one
  bool matches(const IpAddress& address) const;
  bool opens(std::uint16_t number) const;      // as in allow and insist
  bool closes(std::uint16_t number) const;     // as in deny
  bool covers(const NetPattern& inner) const;  // as PathPattern::covers, both read as allow rules
  // As PathPattern::may_overlap, both read as allow rules; `localhost` is 127.0.0.1.
  bool may_overlap(const NetPattern& other) const;
  NetPattern as_deny() const;  // what a deny means, as an allow rule: without a port every one
};

// A name or an address, with a port or without; no wildcard, no CIDR, no `:*`.
std::optional<NetPattern> one_host(std::string_view text);

// ---- command lines (allow.cli) ------------------------------------------------------------------------------------
//
// Split and unquoted like shell words (no expansion of any kind), matched argument by argument. The first word is the
// command's name. `*` inside a word is any characters of that argument. The word `*` is exactly one argument; as the
// last word it is any further arguments, none included. The word `**` is any number of arguments anywhere. Quoted and
// backslash-escaped characters are literal. What a shell would act on, and `?`, `[`, `{` and `~`, must be quoted.
class CliPattern {
 public:
  static Result<CliPattern> parse(std::string_view text);
  // What a deny means, as an allow rule: the line also with any further arguments behind it.
  CliPattern as_deny() const;

  const std::string& text() const { return text_; }
  // The first word, which is always literal. A path (`/opt/x/tool`) is allowed and matches that path only.
  const std::string& command() const { return command_; }
  std::string_view base_name() const;                        // of the command
  bool takes_any_arguments() const;                          // `git *`, `git **`
  bool takes_any_first_argument() const;                     // `git * x`, `git ''* x`
  bool matches(const std::vector<std::string>& argv) const;  // argv[0] is the command's name
  // Without the command. Arguments are any bytes, and any number of them.
  bool matches_arguments(std::span<const std::string> arguments) const;
  // At most so many steps of a few nanoseconds does `matches_arguments` take for that many arguments of so many bytes
  // in all: it is no more than linear in them.
  std::uint64_t most_steps(std::size_t arguments, std::size_t bytes) const;
  // How many leading arguments match word by word, up to the first `**`: which pattern was meant?
  std::size_t leading_matches(std::span<const std::string> arguments) const;
  bool covers(const CliPattern& inner) const;

 private:
  struct Word {
    enum class Kind { Glob, One, Rest } kind = Kind::Glob;
    std::vector<std::string> pieces;  // literal pieces between the `*`s of a Glob; one piece: a literal
  };
  std::string text_;
  std::string command_;
  std::vector<Word> words_;  // after the command
};

}  // namespace band
