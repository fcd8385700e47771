// What the engine tells band-http (link.h, "config"), and the snapshot that each request is judged by.
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
// A connection needs up to four descriptors (socket, body, both ends of a reply). They may be above the 1024 of
// select(2), on which cpp-httplib 0.11 is built: serve.cc gives it a stream of its own, whose waiting is poll(2).
inline constexpr int kMaxDescriptors = 4 * kMaxConnections + 64;

struct Token {
  std::string name;  // the caller, as the engine knows it
  std::string id;    // 8 hex digits, part of the token
  std::string hash;  // SHA-256 of the token, 64 hex digits
};

struct Config {
  std::string address;     // a loopback address: there is no TLS yet
  std::uint16_t port = 0;  // 0: any free one, told to the engine by "listening"
  int connections = 64;    // 1..kMaxConnections
  std::vector<Token> tokens;
  std::int64_t number = 0;  // for "configured"; 0: nobody waits for that
};

Result<Config> parse_config(std::string_view text);

// The newest config. A request holds one snapshot from its head on; a new one counts from the next look.
class Settings {
 public:
  std::shared_ptr<const Config> now() const;
  void replace(Config config);

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Config> config_ = std::make_shared<const Config>();
};

}  // namespace band::http
