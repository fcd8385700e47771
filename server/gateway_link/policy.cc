#include "server/gateway_link/policy.h"

#include "schemas/core/json.h"
#include "schemas/core/json_reader.h"

namespace band::gateway {
namespace {

constexpr std::size_t kMaxNameBytes = 253;
constexpr std::size_t kMaxAddressText = 64;
constexpr std::int64_t kMostInt = 1LL << 30;
constexpr std::int64_t kMostBytes = 1LL << 62;

Json resolve_to_json(const Resolve& resolve) {
  Json value{{"name", resolve.name}, {"address", resolve.address.text()}};
  if (resolve.port) value["port"] = *resolve.port;
  return value;
}

Json config_to_json(const SiteConfig& config) {
  Json value{{"resolve", Json::array()},
             {"allow_private", Json::array()},
             {"extra_ca", config.extra_ca},
             {"connect_timeout_ms", config.connect_timeout_ms},
             {"max_connections", config.max_connections},
             {"connections_per_second", config.connections_per_second},
             {"max_names", config.max_names},
             {"max_bytes", config.max_bytes}};
  for (const Resolve& resolve : config.resolve) value["resolve"].push_back(resolve_to_json(resolve));
  for (const Cidr& range : config.allow_private) value["allow_private"].push_back(range.text());
  if (config.upstream_proxy)
    value["upstream_proxy"] = {{"host", config.upstream_proxy->first}, {"port", config.upstream_proxy->second}};
  return value;
}

std::optional<std::uint16_t> port_of(wire::Reader& reader) {
  const std::int64_t port = reader.integer("port", 1, 65535);
  if (port == 0) return std::nullopt;
  return static_cast<std::uint16_t>(port);
}

Result<Resolve> resolve_from_json(const Json& value) {
  wire::Reader reader(value, "policy.config.resolve");
  reader.only({"name", "address", "port"});
  Resolve resolve;
  resolve.name = reader.text("name", kMaxNameBytes);
  const auto address = IpAddress::parse(reader.text("address", kMaxAddressText));
  resolve.port = port_of(reader);
  if (reader.failed()) return reader.error();
  if (!address) return wire::bad("policy.config.resolve.address: not an address");
  resolve.address = *address;
  return resolve;
}

Result<Json> list_of(wire::Reader& reader, const char* name) {
  const Json* list = reader.find(name, true);
  if (list == nullptr) return reader.error();
  if (!list->is_array()) return wire::bad(wire::wrong_type(std::string("policy.config.") + name, "an array", *list));
  return *list;
}

std::int64_t required(wire::Reader& reader, const char* name, std::int64_t least, std::int64_t most) {
  reader.find(name, true);
  return reader.integer(name, least, most);
}

Result<SiteConfig> config_from_json(const Json& value) {
  wire::Reader reader(value, "policy.config");
  reader.only({"resolve", "allow_private", "extra_ca", "connect_timeout_ms", "max_connections",
               "connections_per_second", "max_names", "max_bytes", "upstream_proxy"});
  SiteConfig config;
  BAND_TRY(const Json resolve, list_of(reader, "resolve"));
  for (const Json& one : resolve) {
    BAND_TRY(Resolve entry, resolve_from_json(one));
    config.resolve.push_back(std::move(entry));
  }
  BAND_TRY(const Json allow_private, list_of(reader, "allow_private"));
  for (const Json& one : allow_private) {
    const auto range = one.is_string() ? Cidr::parse(one.get_ref<const std::string&>()) : std::nullopt;
    if (!range) return wire::bad("policy.config.allow_private: not a CIDR");
    config.allow_private.push_back(*range);
  }
  if (const Json* proxy = reader.find("upstream_proxy", false)) {
    wire::Reader of(*proxy, "policy.config.upstream_proxy");
    of.only({"host", "port"});
    const std::string host = of.text("host", kMaxNameBytes);
    const auto port = port_of(of);
    if (of.failed()) return of.error();
    if (!port) return wire::bad("policy.config.upstream_proxy: no port");
    config.upstream_proxy = {host, *port};
  }
  config.extra_ca = reader.text("extra_ca", 4096);
  config.connect_timeout_ms = static_cast<int>(required(reader, "connect_timeout_ms", 1, kMostInt));
  config.max_connections = static_cast<int>(required(reader, "max_connections", 1, kMostInt));
  config.connections_per_second = static_cast<int>(required(reader, "connections_per_second", 1, kMostInt));
  config.max_names = static_cast<int>(required(reader, "max_names", 1, kMostInt));
  config.max_bytes = required(reader, "max_bytes", 0, kMostBytes);
  if (reader.failed()) return reader.error();
  return config;
}

}  // namespace

std::string encode(const Policy& policy) {
  Rules rules;
  rules.net = policy.net;
  return dump_json(Json{{"rules", rules_to_json(rules)},
                        {"of_ceiling", policy.net.of_ceiling},
                        {"config", config_to_json(policy.config)},
                        {"server_port", policy.server_port}});
}

Result<Policy> decode_policy(std::string_view json) {
  BAND_TRY(const Json value, parse_json(json, "policy", message_bounds(1)));
  wire::Reader reader(value, "policy");
  reader.only({"rules", "of_ceiling", "config", "server_port"});
  Policy policy;
  const Json* rules = reader.find("rules", true);
  const Json* config = reader.find("config", true);
  policy.server_port = static_cast<std::uint16_t>(required(reader, "server_port", 0, 65535));
  const auto of_ceiling = static_cast<std::size_t>(required(reader, "of_ceiling", 0, kMaxLayers));
  if (reader.failed()) return reader.error();
  BAND_TRY(Rules read, rules_from_json(*rules));
  policy.net = std::move(read.net);
  policy.net.of_ceiling = of_ceiling;
  BAND_TRY(policy.config, config_from_json(*config));
  return policy;
}

}  // namespace band::gateway
