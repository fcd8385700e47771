#include "server/http/config.h"

#include <arpa/inet.h>

#include <algorithm>
#include <limits>

#include "schemas/core/hex.h"
#include "schemas/core/json.h"

namespace band::http {
namespace {

Error bad(const std::string& what) { return layer_error("http", "config from the engine: " + what, 0, ""); }

// Names are written to log lines and to messages for the engine.
bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > 0x20 && c < 0x7f; });
}

bool is_loopback(const std::string& address) {
  in_addr four{};
  in6_addr six{};
  if (::inet_pton(AF_INET, address.c_str(), &four) == 1) return (ntohl(four.s_addr) >> 24) == 127;
  return ::inet_pton(AF_INET6, address.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Returns -1 when `key` is absent or not an integer between 0 and `most`.
std::int64_t number_of(const Json& object, const char* key, std::int64_t most) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return -1;
  if (found->is_number_unsigned() && found->get<std::uint64_t>() > static_cast<std::uint64_t>(most)) return -1;
  const auto value = found->get<std::int64_t>();
  return value >= 0 && value <= most ? value : -1;
}

}  // namespace

Result<Config> parse_config(std::string_view text) {
  BAND_TRY(const Json json, parse_json(text, "message from the engine"));
  if (!json.is_object() || text_of(json, "op") != "config") return bad("not a config message");
  Config config;
  config.address = text_of(json, "address");
  if (!is_loopback(config.address))
    return layer_error("http", "cannot listen on '" + config.address + "': not a loopback address", 0,
                       "use 127.0.0.1 or ::1; without TLS, tokens and secrets must not leave the machine");
  const auto port = number_of(json, "port", 65535);
  const auto connections = number_of(json, "connections", kMaxConnections);
  if (port < 0) return bad("port is not a number between 0 and 65535");
  if (connections < 1) return bad("connections is not a number between 1 and " + std::to_string(kMaxConnections));
  config.port = static_cast<std::uint16_t>(port);
  config.connections = static_cast<int>(connections);
  config.number = std::max<std::int64_t>(0, number_of(json, "number", std::numeric_limits<std::int64_t>::max()));
  config.build = build_from_json(json);
  const auto tokens = json.find("tokens");
  if (tokens == json.end() || !tokens->is_array()) return bad("tokens is not a list");
  for (const Json& entry : *tokens) {
    if (!entry.is_object()) return bad("an entry of the list of tokens is not an object");
    Token token{text_of(entry, "name"), text_of(entry, "id"), text_of(entry, "hash")};
    if (!is_name(token.name) || !is_hex(token.id, 8) || !is_hex(token.hash, 64)) return bad("a token is malformed");
    config.tokens.push_back(std::move(token));
  }
  return config;
}

std::shared_ptr<const Config> Settings::now() const {
  const std::lock_guard lock(mutex_);
  return config_;
}

void Settings::replace(Config config) {
  auto fresh = std::make_shared<const Config>(std::move(config));
  const std::lock_guard lock(mutex_);
  config_ = std::move(fresh);
}

}  // namespace band::http
