#include "server/policy/site_config.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <thread>

#include "schemas/core/diagnostic.h"
#include "schemas/core/json_value.h"
#include "schemas/pattern/pattern.h"
#include "schemas/rules/checks.h"
#include "schemas/rules/default_ceiling.h"
#include "schemas/rules/reader.h"
#include "schemas/yaml/yaml.h"
#include "server/policy/gateway_section.h"

namespace band::policy {
namespace {

// Default maximum of maxRuntimeMs. Without this maximum, an abandoned script could occupy a slot for a day.
constexpr std::int64_t kLongestMs = 3'600'000;

RuleSet closed_by_default() {
  RuleSet rules;
  for (const char* path : kClosedByDefault) {
    rules.push_back({path, "the server's default ceiling"});
    rules.push_back({std::string(path) + "/**", "the server's default ceiling"});
  }
  return rules;
}

int cores() { return static_cast<int>(std::min(std::thread::hardware_concurrency(), 128u)); }  // 0 when unknown

void take_listen(RuleReader& reader, SiteConfig& config) {
  const std::string text = reader.text("/listen");
  if (text.empty()) return;
  const char* hint = "write `listen: \"127.0.0.1:7433\"`; other machines connect through `ssh -L`";
  const std::size_t colon = text.rfind(':');
  unsigned port = 0;
  const char* end = text.data() + text.size();
  const bool numeric = colon != std::string::npos && colon + 1 < text.size() &&
                       std::from_chars(text.data() + colon + 1, end, port).ptr == end && port <= 65535;
  if (!numeric) return reader.complain("/listen", "listen: \"" + text + "\" is not an address and port", hint);
  // The pattern parser accepts only complete addresses, and not `127.1`.
  const auto host = NetPattern::parse(text.substr(0, colon));
  const bool address = host.ok() && host->kind == NetPattern::Kind::Address;
  if (!address || (host->range.network.ipv6 ? host->host != "::1" : host->range.network.bytes[0] != 127))
    return reader.complain("/listen", "listen: \"" + text + "\" is not a loopback address, and the server has no TLS",
                           hint);
  config.address = host->host;
  config.port = static_cast<std::uint16_t>(port);
}

void take_directory(RuleReader& reader, const std::string& pointer, std::string& out) {
  std::string path = reader.text(pointer);
  if (path.empty()) return;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  if (!is_plain_absolute(path))
    return reader.complain(pointer, readable_pointer(pointer) + ": \"" + path + "\" is not a plain path of a directory",
                           "write an absolute path without `.`, `..` and double slashes, as in `/var/lib/band`");
  out = path;
}

void take_ceiling(RuleReader& reader, Rules& ceiling) {
  struct Row {
    const char* name;
    Domain Rules::*domain;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"cli", &Rules::cli}, {"net", &Rules::net}, {"read", &Rules::read}, {"write", &Rules::write}}) {
    Domain& domain = ceiling.*row.domain;
    // If the list is empty, it is a layer that opens nothing.
    if (reader.find(std::string("/ceiling/allow/") + row.name) != nullptr)
      domain.opened.push_back(reader.patterns("/ceiling/allow", row.name));
    if (reader.find(std::string("/ceiling/deny/") + row.name) != nullptr)
      domain.deny = reader.patterns("/ceiling/deny", row.name);
  }
  const Limits limit = reader.limits("/ceiling/limit");
  const auto longest = limit.maxRuntimeMs ? limit.maxRuntimeMs : ceiling.limit.maxRuntimeMs;
  ceiling.limit = limit;
  ceiling.limit.maxRuntimeMs = longest;
}

}  // namespace

SiteConfig default_site_config() {
  SiteConfig config;
  config.slots = std::max(4, 2 * cores());
  config.spare_slots = std::max(2, cores());
  config.warm_sandboxes = config.slots;
  config.commands = built_in_programs();
  config.ceiling.read.deny = closed_by_default();
  config.ceiling.write.deny = closed_by_default();
  config.ceiling.limit.maxRuntimeMs = kLongestMs;
  return config;
}

Result<SiteConfig> parse_site_config(std::string_view text, const std::string& file) {
  std::vector<Diagnostic> errors;
  SiteConfig config = default_site_config();
  if (auto document = parse_yaml(text, file, 1, errors)) {
    if (document->value.is_null())
      document->value = JsonValue::object();  // the file is empty or contains only comments
    RuleReader reader(*document, file, errors);
    take_listen(reader, config);
    read_number(reader, "/slots/count", config.slots);
    read_number(reader, "/slots/per_token", config.slots_per_token);
    if (config.slots_per_token > config.slots)
      reader.complain(
          "/slots/per_token",
          "slots.per_token is " + std::to_string(config.slots_per_token) + ", but there are " +
              std::to_string(config.slots) + " slots",
          "write a number up to `slots.count`; " + std::to_string(config.slots) + " lets one token use all slots");
    read_number(reader, "/slots/spare", config.spare_slots);
    read_number(reader, "/slots/warm", config.warm_sandboxes);
    read_number(reader, "/slots/uid_base", config.uid_base);
    read_number(reader, "/queue/length", config.queue_length);
    read_number(reader, "/queue/per_token", config.queue_per_token);
    read_number(reader, "/max_connections", config.max_connections);
    take_ceiling(reader, config.ceiling);
    read_gateway(reader, config.gateway);
    add_programs(reader, config.commands);
    take_directory(reader, "/state", config.state_dir);
    take_directory(reader, "/run", config.run_dir);
    if (const std::string level = reader.text("/log/level"); !level.empty()) config.log_level = level;
    check_rest(*document, file, "server.schema.json", errors);
  }
  if (errors.empty()) return config;
  sort_by_place(errors);
  Error error = skill_invalid(errors);
  error.code = Code::Usage;  // the operator's file, not a skill's
  error.hint = "correct the file; `band-server check` checks it without starting the server";
  return error;
}

}  // namespace band::policy
