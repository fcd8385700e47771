// The configuration that the engine (band-server, which runs the executions) sends to band-http (this process, which
// serves HTTP) in the message "config" of server/http_link/link.h.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/wire/features.h"

namespace band::http {

inline constexpr int kMaxConnections = 4096;
// A connection needs up to four descriptors: its socket, the memfd of the body, and both ends of the reply socket. With
// many connections, descriptors have numbers of 1024 and more. select(2), which cpp-httplib 0.11 uses, does not support
// such numbers; therefore serve.cc gives cpp-httplib a stream that waits with poll(2).
inline constexpr int kMaxDescriptors = 4 * kMaxConnections + 64;

struct Token {
  std::string name;  // the caller's name in the engine
  std::string id;    // 8 hex digits, part of the token
  std::string hash;  // SHA-256 of the token, 64 hex digits
};

struct Config {
  std::string address;     // a loopback address: there is no TLS yet
  std::uint16_t port = 0;  // 0: any free port; the message "listening" reports the port to the engine
  int connections = 64;    // 1..kMaxConnections
  std::vector<Token> tokens;
  ServerBuild build = {};   // sent with each proof
  std::int64_t number = 0;  // sent back in the message "configured"; 0: that message is not sent
};

// Returns an error when `text` is not a well-formed message "config", or when `address` is not a loopback address.
Result<Config> parse_config(std::string_view text);

// Holds the newest config. A request is admitted by the config that is the newest when its head was read; its token is
// checked again later by newer configs. replace() does not change a config that now() returned before. Thread-safe.
class Settings {
 public:
  std::shared_ptr<const Config> now() const;  // the newest config; never null
  void replace(Config config);

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Config> config_ = std::make_shared<const Config>();
};

}  // namespace band::http
