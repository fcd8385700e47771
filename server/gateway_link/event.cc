#include "server/gateway_link/event.h"

#include <array>
#include <limits>

#include "schemas/core/json.h"
#include "schemas/core/json_reader.h"
#include "schemas/core/json_text.h"

namespace band::gateway {
namespace {

// Fields of these sizes fit into one line, together with the names and numbers, even if JSON needs two bytes for each
// byte (`\"`).
constexpr std::size_t kMaxText = 900;
constexpr std::size_t kMaxHost = 253;
constexpr std::size_t kMaxAddress = 64;
constexpr std::size_t kMaxSection = 16;
constexpr std::size_t kMaxPattern = 256;
constexpr std::size_t kMaxOrigin = 256;
constexpr double kMostMs = 1e12;  // over thirty years
constexpr std::int64_t kMostCount = std::numeric_limits<std::int64_t>::max();

constexpr std::array<std::pair<Event::Kind, std::string_view>, 5> kKinds{{{Event::Kind::Ready, "ready"},
                                                                          {Event::Kind::Refused, "refused"},
                                                                          {Event::Kind::Relayed, "relayed"},
                                                                          {Event::Kind::Failed, "failed"},
                                                                          {Event::Kind::Last, "last"}}};

std::string name_of(Event::Kind kind) {
  for (const auto& [known, name] : kKinds)
    if (known == kind) return std::string(name);
  return "";
}

// Escapes `text`, so that JSON needs at most two bytes for each of its bytes, and cuts it between characters.
std::string fitted(std::string_view text, std::size_t most) {
  std::string clean = escaped(text);
  if (clean.size() <= most) return clean;
  std::size_t end = most - 3;
  while (end > 0 && (static_cast<unsigned char>(clean[end]) & 0xC0) == 0x80) --end;
  return clean.substr(0, end) + "...";
}

std::int64_t counted(std::uint64_t number) {
  return number > static_cast<std::uint64_t>(kMostCount) ? kMostCount : static_cast<std::int64_t>(number);
}

Result<Event> event_from_json(const Json& value) {
  wire::Reader reader(value, "event");
  reader.only({"event", "text", "host", "port", "address", "up", "down", "start_ms", "duration_ms", "section", "rule",
               "missing_rule", "open", "packet", "count"});
  Event event;
  const std::string kind = reader.text("event", kMaxSection);
  event.text = reader.text("text", kMaxText, false);
  event.host = reader.text("host", kMaxHost, false);
  event.address = reader.text("address", kMaxAddress, false);
  event.section = reader.text("section", kMaxSection, false);
  event.port = static_cast<std::uint16_t>(reader.integer("port", 0, 65535));
  event.up = static_cast<std::uint64_t>(reader.integer("up", 0, kMostCount));
  event.down = static_cast<std::uint64_t>(reader.integer("down", 0, kMostCount));
  event.start_ms = reader.number("start_ms");
  event.duration_ms = reader.number("duration_ms");
  if (reader.find("count", false) != nullptr)
    event.count = static_cast<std::uint64_t>(reader.integer("count", 1, kMostCount));
  for (const auto& [name, flag] : {std::pair("missing_rule", &event.missing_rule), std::pair("open", &event.open),
                                   std::pair("packet", &event.packet)}) {
    const Json* value_of = reader.find(name, false);
    if (value_of == nullptr) continue;
    if (!value_of->is_boolean())
      return wire::bad(wire::wrong_type(std::string("event.") + name, "a boolean", *value_of));
    *flag = value_of->get<bool>();
  }
  if (const Json* rule = reader.find("rule", false)) {
    wire::Reader of(*rule, "event.rule");
    of.only({"pattern", "origin"});
    event.rule = Rule{of.text("pattern", kMaxPattern), of.text("origin", kMaxOrigin)};
    if (of.failed()) return of.error();
  }
  if (reader.failed()) return reader.error();
  if (event.start_ms > kMostMs || event.duration_ms > kMostMs)
    return wire::bad("event: start_ms or duration_ms is too large");
  for (const auto& [known, name] : kKinds)
    if (name == kind) return event.kind = known, event;
  return wire::bad("event: unknown kind " + wire::shown(kind));
}

}  // namespace

std::string encode(const Event& event) {
  Json value{{"event", name_of(event.kind)}};
  if (event.kind == Event::Kind::Ready) value["start_ms"] = event.start_ms;
  if (event.kind == Event::Kind::Ready || event.kind == Event::Kind::Last) return dump_json(value);
  value["text"] = fitted(event.text, kMaxText);
  if (!event.host.empty()) value["host"] = fitted(event.host, kMaxHost);
  if (event.port != 0) value["port"] = event.port;
  if (!event.address.empty()) value["address"] = fitted(event.address, kMaxAddress);
  if (event.kind == Event::Kind::Relayed) {
    value["up"] = counted(event.up);
    value["down"] = counted(event.down);
    value["open"] = event.open;
  }
  value["start_ms"] = event.start_ms;
  value["duration_ms"] = event.duration_ms;
  if (!event.section.empty()) value["section"] = fitted(event.section, kMaxSection);
  if (event.rule)
    value["rule"] = {{"pattern", fitted(event.rule->pattern, kMaxPattern)},
                     {"origin", fitted(event.rule->origin, kMaxOrigin)}};
  if (event.missing_rule) value["missing_rule"] = true;
  if (event.packet) value["packet"] = true;
  if (event.count != 1) value["count"] = counted(event.count);
  return dump_json(value);
}

Result<Event> decode_event(std::string_view line) {
  if (line.size() >= kMaxEventBytes) return wire::bad("event: a line of " + std::to_string(line.size()) + " bytes");
  BAND_TRY(const Json value, parse_json(line, "event", {2, 32}));
  return event_from_json(value);
}

}  // namespace band::gateway
