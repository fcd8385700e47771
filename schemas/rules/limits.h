// The limits of an execution: the values that a band sets under `limit`, and the effective values
// (schemas/permit/limits.h computes these).
//
// To add a limit: add a member to Limits and EffectiveLimits and a row to kLimitKeys, document the limit in
// band.schema.json, server.schema.json, wire.schema.json and docs/usage.md, enforce it (server/limits/limits.h lists
// the places), and report it in server/evidence/judge.cc.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "schemas/core/json_fwd.h"
#include "schemas/core/json_value.h"
#include "schemas/core/largest.h"
#include "schemas/core/result.h"

namespace band {

// The limits of one band. The unit of a value is in its name. An absent value means the default in EffectiveLimits.
struct Limits {
  std::optional<std::int64_t> maxRuntimeMs, maxInputBytes, maxOutputBytes, maxMemoryBytes, maxProcesses, maxDiskBytes,
      maxFiles, maxOpenFiles;
  std::optional<double> maxCostDollars;

  bool operator==(const Limits&) const = default;
};

// All limits with their effective values; the initial values are the defaults (docs/architecture.md 6.8).
struct EffectiveLimits {
  std::int64_t maxRuntimeMs = 60'000;
  std::int64_t maxInputBytes = 1 << 20;
  std::int64_t maxOutputBytes = 10 << 20;
  std::int64_t maxMemoryBytes = 512 << 20;
  std::int64_t maxProcesses = 256;
  std::int64_t maxDiskBytes = 64 << 20;
  std::int64_t maxFiles = 1'000;
  std::int64_t maxOpenFiles = 1'024;
  std::optional<double> maxCostDollars;
};

struct LimitKey {
  enum class Kind { Duration, Bytes, Count } kind;
  const char* name;
  std::optional<std::int64_t> Limits::*member;
  std::int64_t EffectiveLimits::*effective;
  std::int64_t most;  // the largest value that a band, a request and server.yaml can have
};

inline constexpr std::array kLimitKeys{
    LimitKey{LimitKey::Kind::Duration, "maxRuntimeMs", &Limits::maxRuntimeMs, &EffectiveLimits::maxRuntimeMs,
             24LL * 3600 * 1000},
    LimitKey{LimitKey::Kind::Bytes, "maxInputBytes", &Limits::maxInputBytes, &EffectiveLimits::maxInputBytes,
             kMaxBodyBytes},
    // The maximum is this low because client and server hold the whole answer as JSON in memory.
    LimitKey{LimitKey::Kind::Bytes, "maxOutputBytes", &Limits::maxOutputBytes, &EffectiveLimits::maxOutputBytes,
             64 << 20},
    LimitKey{LimitKey::Kind::Bytes, "maxMemoryBytes", &Limits::maxMemoryBytes, &EffectiveLimits::maxMemoryBytes,
             kMostBytes},
    LimitKey{LimitKey::Kind::Count, "maxProcesses", &Limits::maxProcesses, &EffectiveLimits::maxProcesses, 1 << 20},
    LimitKey{LimitKey::Kind::Bytes, "maxDiskBytes", &Limits::maxDiskBytes, &EffectiveLimits::maxDiskBytes, 4LL << 30},
    // The maximum is above kMaxWireFiles, the number of files in one message, because most files that scripts create
    // are temporary: they are removed with the sandbox and never sent.
    LimitKey{LimitKey::Kind::Count, "maxFiles", &Limits::maxFiles, &EffectiveLimits::maxFiles, 100'000},
    LimitKey{LimitKey::Kind::Count, "maxOpenFiles", &Limits::maxOpenFiles, &EffectiveLimits::maxOpenFiles, 1 << 20},
};

// Compilation fails when a member has no row in kLimitKeys, because such a limit would have no effect. Exception:
// maxCostDollars has no row, because it is not an integer; limits.cc handles it separately.
static_assert(sizeof(Limits) ==
              kLimitKeys.size() * sizeof(std::optional<std::int64_t>) + sizeof(std::optional<double>));
static_assert(sizeof(EffectiveLimits) == kLimitKeys.size() * sizeof(std::int64_t) + sizeof(std::optional<double>));

// Returns the value in the form of a BAND.md: "1h", "90s", "64m", "20".
std::string limit_in_units(const LimitKey& key, std::int64_t value);

std::string dollars_text(double dollars);  // maxCostDollars as in JSON: "1.5"

// The details of a ledger entry about a lowered limit: an object with `limit`, `asked` and `given`.
JsonValue lowered_details(const LimitKey& key, std::int64_t asked, std::int64_t given);

Json limits_to_json(const Limits& limits);  // without the absent values
Json limits_to_json(const EffectiveLimits& limits);
// For untrusted input. Errors (Code::BadRequest): an unknown limit; a value that is not an integer from 1 to
// LimitKey::most; for maxCostDollars, a value that is not a number above 0 and at most kMostDollars.
Result<Limits> limits_from_json(const Json& value);

}  // namespace band
