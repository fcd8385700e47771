// Events that the gateway's process of one execution sends to the engine: one line of JSON per event. The engine treats
// the events as hostile input.
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

// After the engine has shut down its side of the stream, the gateway waits at most this long for servers to acknowledge
// the script's last data. Then it sends the last events.
inline constexpr int kMostFlushMs = 2'000;

struct Event {
  enum class Kind {
    Ready,    // serving has begun
    Refused,  // a lookup, a connection, or data on a connection was refused
    Relayed,  // with `open`: a connection has carried data both ways and continues; else: it has ended
    Failed,   // a connection was allowed, but connecting failed, or the client sent nothing
    Last,     // the last event; sent after the engine has shut down its side
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
  bool missing_rule = false;  // Refused: only because no rule of the band allows it
  bool open = false;
  bool packet = false;      // rejected by the firewall, which has its own counter
  std::uint64_t count = 1;  // number of occurrences, for repeated events
};

// The result has no newline and is shorter than kMaxEventBytes: text, pattern and origin are cut if necessary.
std::string encode(const Event& event);
Result<Event> decode_event(std::string_view line);  // Code::BadRequest

}  // namespace band::gateway
