// Events that the gateway of one execution sends to the engine on a stream socket: one line of JSON per event. The
// engine treats the events as hostile input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schemas/core/result.h"
#include "schemas/rules/rules.h"

namespace band::gateway {

inline constexpr std::size_t kMaxEventBytes = 4096;  // per line, including its newline

// After the engine has shut down its side of the stream, the gateway waits at most this long, in milliseconds, for
// servers to acknowledge the script's last data. Then the gateway sends the last events.
inline constexpr int kMostFlushMs = 2'000;

struct Event {
  enum class Kind {
    Ready,    // the gateway has begun to serve
    Refused,  // a lookup, a connection, data on a connection, or a packet was refused
    Relayed,  // a connection has carried data both ways, or a connection has ended (see `open`)
    Failed,   // an allowed connection failed: connecting to the server failed, or the client sent nothing
    Last,     // the last event; sent after the engine has shut down its side of the stream
  };
  Kind kind = Kind::Ready;
  std::string text;                      // human-readable; escaped for terminals
  std::string host;                      // name, or address as text; "" when unknown
  std::uint16_t port = 0;                // 0: no port (a lookup)
  std::string address;                   // the server's address to which the gateway connected, as text
  std::uint64_t up = 0, down = 0;        // bytes from the script, bytes to the script
  double start_ms = 0, duration_ms = 0;  // start_ms: since the event Ready; in Ready itself: of CLOCK_MONOTONIC
  std::string section;                   // where `rule` is written: "allow.net", "insist.net" or "deny.net"
  std::optional<Rule> rule;              // the rule that decided; nullopt: no rule
  bool missing_rule = false;             // Refused: the only reason is that no rule of the band allows the destination
  bool open = false;                     // Relayed: the connection has not ended yet
  bool packet = false;                   // Refused: a packet that the firewall rejected and counted
  std::uint64_t count = 1;               // how often the event occurred
};

// The result has no newline and is shorter than kMaxEventBytes: texts that are too long are cut.
std::string encode(const Event& event);
Result<Event> decode_event(std::string_view line);  // Code::BadRequest

}  // namespace band::gateway
