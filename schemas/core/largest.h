// The largest sizes, numbers and times that every server and every client of band accepts. An operator or a band can
// set smaller limits (schemas/rules/limits.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace band {

// The size of one message between client and server.
inline constexpr std::size_t kMaxBodyBytes = 90u << 20;
// The total size of the changed files in one answer. It is limited because several copies of the files are in memory
// while an answer is sent.
inline constexpr std::size_t kMaxCarriedBytes = 64u << 20;
inline constexpr std::size_t kMaxSourceBytes = 1u << 20;  // run.sh
inline constexpr std::size_t kMaxLibFiles = 200;          // scripts/_lib
inline constexpr std::size_t kMaxLibBytes = 8u << 20;     // these files together
inline constexpr std::size_t kMaxSkillFiles = 200;        // files next to run.sh, assets and references, together
inline constexpr std::size_t kMaxSkillBytes = 8u << 20;   // these files together
inline constexpr std::ptrdiff_t kMaxSkillDepth = 20;      // directories in the path of a file of the skill
inline constexpr std::size_t kMaxWireFiles = 20'000;  // files in one message; limit.maxFiles is usually far below this
inline constexpr std::size_t kMaxEnvValueBytes = 120u << 10;  // execve(2): 128 KiB for a string (MAX_ARG_STRLEN)

// Upper bounds of values in bands and server.yaml.
inline constexpr std::int64_t kMostMs = 365LL * 24 * 3600 * 1000;  // a year
inline constexpr std::int64_t kMostBytes = 1LL << 50;              // a pebibyte
inline constexpr double kMostDollars = 1e9;
inline constexpr std::int64_t kMostModifiedUs = (1LL << 53) - 1;  // year 2255; exact as a double (RFC 8259 section 6)

}  // namespace band
