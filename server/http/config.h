// The configuration that the engine sends to band-http (link.h, "config"), and the snapshot that each request uses.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/result.h"

namespace band::http {

inline constexpr int kMaxConnections = 4096;
// A connection needs up to four descriptors (socket, body, both ends of a reply). Their numbers may exceed the limit of
// select(2), 1024, on which cpp-httplib 0.11 is built: serve.cc therefore gives it a stream that waits with poll(2).
inline constexpr int kMaxDescriptors = 4 * kMaxConnections + 64;

struct Token {
  std::string name;  // the caller's name in the engine
  std::string id;    // 8 hex digits, part of the token
  std::string hash;  // SHA-256 of the token, 64 hex digits
};

struct Config {
  std::string address;     // a loopback address: there is no TLS yet
  std::uint16_t port = 0;  // 0: any free port; "listening" reports it to the engine
  int connections = 64;    // 1..kMaxConnections
  std::vector<Token> tokens;
  std::int64_t number = 0;  // for "configured"; 0: the engine expects no confirmation
};

Result<Config> parse_config(std::string_view text);

// Holds the newest config. A request uses one snapshot, taken after its head was read; later requests use a newer one.
class Settings {
 public:
  std::shared_ptr<const Config> now() const;
  void replace(Config config);

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Config> config_ = std::make_shared<const Config>();
};

}  // namespace band::http
