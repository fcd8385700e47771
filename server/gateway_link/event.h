// What the gateway's process for one execution tells the engine: one line of JSON an event. The engine reads it as
// hostile input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schemas/core/result.h"
#include "schemas/rules/rules.h"

namespace band::gateway {

inline constexpr std::size_t kMaxEventBytes = 4096;  // of a line, its newline included

// After the engine has shut down its side: how long the gateway waits for servers to acknowledge what the script sent
// last. The last events come after that.
inline constexpr int kMostFlushMs = 2'000;

struct Event {
  enum class Kind {
    Ready,    // serves from now on
    Refused,  // a lookup, a connection, or what was said on one
    Relayed,  // carried data both ways (`open`: from now on), or has ended (not `open`)
    Failed,   // allowed, but there was no connection, or it broke
    Last,     // there are no further events; sent after the engine has shut down its side
  };
  Kind kind = Kind::Ready;
  std::string text;                      // for people; escaped
  std::string host;                      // name, or address as text; "" when it is not known
  std::uint16_t port = 0;                // 0: none (a lookup)
  std::string address;                   // that was dialled, as text
  std::uint64_t up = 0, down = 0;        // bytes from and to the script
  double start_ms = 0, duration_ms = 0;  // start: since Ready; of Ready: CLOCK_MONOTONIC, clock_gettime(2)
  std::string section;                   // of `rule`: "allow.net", "insist.net" or "deny.net"
  std::optional<Rule> rule;
  bool missing_rule = false;  // Refused: only because the band has no rule that opens it
  bool open = false;
  bool packet = false;      // refused by the firewall, which counts what it refuses
  std::uint64_t count = 1;  // this many times (what repeats is counted)
};

// Without the newline, and shorter than kMaxEventBytes: text, pattern and origin are cut if they must be.
std::string encode(const Event& event);
Result<Event> decode_event(std::string_view line);  // Code::BadRequest

}  // namespace band::gateway
