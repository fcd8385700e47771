// What a limit and a variable may be; shared by the parser of bands and the reader of the wire.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "schemas/core/limits.h"
#include "schemas/rules/rules.h"

namespace band {

struct LimitKey {
  enum class Kind { Duration, Bytes, Count } kind;
  const char* name;
  std::optional<std::int64_t> Limits::*member;
  std::int64_t most;  // that any server runs; the reader of bands, of the wire and of server.yaml refuse more
};

inline constexpr std::array kLimitKeys{
    LimitKey{LimitKey::Kind::Duration, "maxRuntimeMs", &Limits::maxRuntimeMs, 24LL * 3600 * 1000},
    LimitKey{LimitKey::Kind::Bytes, "maxInputBytes", &Limits::maxInputBytes, kMaxBodyBytes},
    // Answers are JSON in memory, on both sides.
    LimitKey{LimitKey::Kind::Bytes, "maxOutputBytes", &Limits::maxOutputBytes, 64 << 20},
    LimitKey{LimitKey::Kind::Bytes, "maxMemoryBytes", &Limits::maxMemoryBytes, kMostBytes},
    LimitKey{LimitKey::Kind::Count, "maxProcesses", &Limits::maxProcesses, 1 << 20},
    LimitKey{LimitKey::Kind::Bytes, "maxDiskBytes", &Limits::maxDiskBytes, 4LL << 30},
    // Most of them made by the script and gone with it: kMaxWireFiles is what can travel.
    LimitKey{LimitKey::Kind::Count, "maxFiles", &Limits::maxFiles, 100'000},
    LimitKey{LimitKey::Kind::Count, "maxOpenFiles", &Limits::maxOpenFiles, 1 << 20},
};

// [A-Za-z_][A-Za-z0-9_]*, at most 128 bytes, and none of those that band sets itself (PATH, INPUT_PATH, BAND_...).
Status check_env_name(std::string_view name);

// An absolute path without `.`, `..`, double slashes or one at its end, and not "/" itself.
bool is_plain_absolute(std::string_view path);

// Does `pattern` parse as a pattern of this domain ("cli", "net", "read", "write")?
Status check_pattern(std::string_view domain, std::string_view pattern);

// May `rule` of this domain be optional, if it is? Only what opens a path of the machine: `deny` and `insist` name what
// must be closed or must happen, and of the workspace nothing has to be there.
Status check_optional(const Rule& rule, std::string_view domain, bool opens);

class CliPattern;
// Can a rule of "allow", "deny" or "insist" about this command ever work? Not about what bash does itself, and for
// bash's own argv neither deny nor insist: the script runs in it.
Status check_command(std::string_view section, const CliPattern& pattern);

}  // namespace band
