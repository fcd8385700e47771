// The largest sizes, numbers and times that any server and client of band take. An operator or a band sets smaller
// ones (schemas/rules/limits.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace band {

// Of one message between client and server.
inline constexpr std::size_t kMaxBodyBytes = 90u << 20;
// Of changed files in one answer: they are in memory several times over on their way out.
inline constexpr std::size_t kMaxCarriedBytes = 64u << 20;
inline constexpr std::size_t kMaxSourceBytes = 1u << 20;  // run.sh
inline constexpr std::size_t kMaxLibFiles = 200;          // scripts/_lib
inline constexpr std::size_t kMaxLibBytes = 8u << 20;
inline constexpr std::size_t kMaxSkillFiles = 200;  // what lies beside run.sh, assets and references, together
inline constexpr std::size_t kMaxSkillBytes = 8u << 20;
inline constexpr std::ptrdiff_t kMaxSkillDepth = 20;  // directories above a file of the skill or of scripts/_lib
inline constexpr std::size_t kMaxWireFiles = 20'000;  // of one message; limit.maxFiles is usually far below
inline constexpr std::size_t kMaxEnvValueBytes = 120u << 10;  // execve takes 128 KiB a string (MAX_ARG_STRLEN)

// Far from overflowing when multiplied by a unit; a limit may be smaller than these.
inline constexpr std::int64_t kMostMs = 365LL * 24 * 3600 * 1000;  // a year
inline constexpr std::int64_t kMostBytes = 1LL << 50;              // a pebibyte
inline constexpr double kMostDollars = 1e9;
inline constexpr std::int64_t kMostModifiedUs = (1LL << 53) - 1;  // in the year 2255; exact as a double (RFC 8259, 6)

}  // namespace band
