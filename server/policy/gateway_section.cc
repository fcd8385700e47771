#include "server/policy/gateway_section.h"

#include <algorithm>
#include <limits>

#include "schemas/address/host_name.h"
#include "schemas/address/special_addresses.h"
#include "schemas/core/json.h"
#include "schemas/core/json_text.h"
#include "schemas/core/units.h"
#include "schemas/pattern/pattern.h"
#include "schemas/rules/checks.h"

namespace band::policy {
namespace {

constexpr const char* kTimeout = "/gateway/connect_timeout";
constexpr const char* kProxy = "/gateway/upstream_proxy";
constexpr std::int64_t kMostTimeoutMs = 3'600'000;
constexpr std::string_view kScheme = "http://";

constexpr const char* kOfMetadata = " is the metadata service of a cloud, to which band never connects";
constexpr const char* kNameAlone = "write a host name without port or wildcard, as in `git.example.com: 10.1.0.5`";

// The hints of the pattern parsers are not used: they are for bands, in which a pattern may have a port and wildcards,
// and a key of this map may not.
std::string no_name_alone(const std::string& key, const Error& error) {
  return "gateway.resolve: " + shown_string(key) + " " +
         (NetPattern::parse(key).ok() ? "is not a plain host name" : error.doing);
}

void take_resolve(RuleReader& reader, std::vector<gateway::Resolve>& resolve) {
  const Json* map = reader.find("/gateway/resolve");
  if (map == nullptr || !map->is_object()) return;
  for (const auto& [key, value] : map->items()) {
    const std::string at = join_pointer("/gateway/resolve", key);
    const auto name = canonical_name(key);
    if (!name.ok()) {
      reader.complain_at_key(at, no_name_alone(key, name.error()), kNameAlone);
      continue;
    }
    if (*name == "localhost")
      reader.complain_at_key(at, "gateway.resolve: localhost is this machine, also for scripts",
                             "to let bands connect to 127.0.0.1, write `allow_private: [127.0.0.1]`");
    const auto same = [&](const gateway::Resolve& other) { return other.name == *name; };
    if (std::any_of(resolve.begin(), resolve.end(), same))
      reader.complain_at_key(at, "gateway.resolve: " + shown_string(key) + " is listed twice, in two spellings",
                             "remove one of them");
    if (!value.is_string()) continue;  // reported by the check of the schema
    const auto address = one_host(value.get<std::string>());
    if (!address || !address->is_address())
      reader.complain(at, "gateway.resolve: " + shown_value(value) + " is not an address",
                      "write an address, as in `192.0.2.1`, `192.0.2.1:8443` or `[2001:db8::1]:8443`");
    else if (is_metadata(address->range.network))
      reader.complain(at, "gateway.resolve: " + shown_value(value) + kOfMetadata, "remove it");
    else
      resolve.push_back({*name, address->range.network, address->port});
  }
}

void take_private(RuleReader& reader, std::vector<Cidr>& ranges) {
  reader.each_string("/gateway/allow_private", [&](const std::string& text, const std::string& at) {
    const auto complain = [&](const std::string& what, const std::string& hint) {
      reader.complain(at, "gateway.allow_private: " + what, hint);
    };
    // The error of the pattern parser is the most precise one.
    const auto pattern = NetPattern::parse(text);
    if (!pattern.ok()) return complain(pattern.error().doing, pattern.error().hint);
    if (!pattern->is_address() || pattern->port || pattern->any_port)
      return complain(shown_string(text) + " is not a CIDR", "write a CIDR without a port, as in `10.1.0.0/16`");
    // A public address is accepted, because it may be an address of this machine, which scripts reach only if the
    // operator allows this.
    const Cidr& range = pattern->range;
    if (range.bits == range.network.bits() && is_metadata(range.network))
      return complain(shown_string(text) + kOfMetadata, "remove it");
    ranges.push_back(range);
  });
}

void take_proxy(RuleReader& reader, gateway::SiteConfig& config) {
  std::string text = reader.text(kProxy);
  if (text.empty()) return;
  const auto complain = [&](const std::string& what) {
    reader.complain(kProxy, "gateway.upstream_proxy: " + shown_string(text) + " " + what,
                    "write `http://proxy.example:3128`: band sends CONNECT to the proxy in plain HTTP, and TLS is "
                    "end to end");
  };
  if (!text.starts_with(kScheme)) return complain("is not the address of an HTTP proxy");
  std::string rest = text.substr(kScheme.size());
  if (rest.ends_with('/')) rest.pop_back();
  if (rest.find('@') != std::string::npos) return complain("contains a name and password, which band does not send");
  const auto host = one_host(rest);
  if (!host) return complain("names no host");
  if (!host->port) return complain("has no port");
  config.upstream_proxy = {host->host, *host->port};
}

void take_extra_ca(RuleReader& reader, std::string& out) {
  const std::string path = reader.text("/gateway/extra_ca");
  if (path.empty()) return;
  if (is_plain_absolute(path))
    out = path;
  else
    reader.complain("/gateway/extra_ca", "gateway.extra_ca: " + shown_string(path) + " is not a plain path of a file",
                    "write an absolute path without `.`, `..` and double slashes, as in `/etc/band/company.pem`");
}

// Reads a plain number, or one with a unit.
template <class Number, class Parse>
void take_measure(RuleReader& reader, const std::string& pointer, std::int64_t most, const char* most_as_text,
                  const Parse& parse, Number& out) {
  const Json* value = reader.find(pointer);
  if (value == nullptr || !(value->is_string() || value->is_number_integer())) return;
  const std::string written = value->is_string() ? value->get<std::string>() : dump_json(*value);
  const Result<std::int64_t> number = parse(written);
  const std::string subject = readable_pointer(pointer) + ": ";
  if (!number.ok())
    reader.complain(pointer, subject + number.error().doing, number.error().hint);
  else if (*number > most)
    reader.complain(pointer, subject + written + " is above the maximum",
                    std::string("write at most `") + most_as_text + "`");
  else
    out = static_cast<Number>(*number);
}

}  // namespace

void read_gateway(RuleReader& reader, gateway::SiteConfig& config) {
  take_resolve(reader, config.resolve);
  take_private(reader, config.allow_private);
  take_proxy(reader, config);
  take_extra_ca(reader, config.extra_ca);
  take_measure(reader, kTimeout, kMostTimeoutMs, "1h", parse_duration_ms, config.connect_timeout_ms);
  read_number(reader, "/gateway/limit/connections", config.max_connections);
  read_number(reader, "/gateway/limit/connections_per_second", config.connections_per_second);
  read_number(reader, "/gateway/limit/names", config.max_names);
  take_measure(reader, "/gateway/limit/bytes", kMostBytes, "1048576g", parse_bytes, config.max_bytes);
}

}  // namespace band::policy
