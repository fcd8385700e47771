// Events that the gateway's process for one execution sends to the engine: one line of JSON per event. The engine reads
// them as hostile input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schemas/core/result.h"
#include "schemas/rules/rules.h"

namespace band::gateway {

inline constexpr std::size_t kMaxEventBytes = 4096;  // per line, its newline included

// After the engine has shut down its side, the gateway waits this long for servers to acknowledge the script's last
// data. It sends the last events after that.
inline constexpr int kMostFlushMs = 2'000;

struct Event {
  enum class Kind {
    Ready,    // serving has begun
    Refused,  // a lookup, a connection, or data on a connection
    Relayed,  // `open`: has carried data both ways and continues; else: has ended
    Failed,   // allowed, but connecting failed, or the client sent nothing
    Last,     // no further events follow; sent after the engine has shut down its side
  };
  Kind kind = Kind::Ready;
  std::string text;                      // human-readable; escaped
  std::string host;                      // name, or address as text; "" when unknown
  std::uint16_t port = 0;                // 0: no port (a lookup)
  std::string address;                   // the address dialled, as text
  std::uint64_t up = 0, down = 0;        // bytes from the script, bytes to the script
  double start_ms = 0, duration_ms = 0;  // start: since Ready; in Ready: CLOCK_MONOTONIC, clock_gettime(2)
  std::string section;                   // where `rule` is written: "allow.net", "insist.net" or "deny.net"
  std::optional<Rule> rule;
  bool missing_rule = false;  // Refused: only because no rule of the band opens it
  bool open = false;
  bool packet = false;      // rejected by the firewall, which has its own counter
  std::uint64_t count = 1;  // number of occurrences (repeated events are counted)
};

// The result has no newline and is shorter than kMaxEventBytes: text, pattern and origin are cut if necessary.
std::string encode(const Event& event);
Result<Event> decode_event(std::string_view line);  // Code::BadRequest

}  // namespace band::gateway
