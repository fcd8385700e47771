// Writes the CONNECT request to an upstream HTTP proxy (gateway.upstream_proxy) and reads the proxy's answer. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace band::gateway {

// `host` is a canonical name, or an address as text (IPv6 without brackets).
std::string connect_request(std::string_view host, std::uint16_t port);

inline constexpr std::size_t kMaxProxyAnswerBytes = 16 << 10;  // the heads of squid's refusals are shorter than 1 KiB

class ProxyAnswer {
 public:
  enum class Verdict { More, Ok, Refused };

  // Reads the next bytes of the proxy, any number. Returns Ok when the proxy has connected to the destination, Refused
  // when the proxy has not connected or when its answer is malformed, and More when further bytes are needed.
  Verdict feed(std::string_view bytes);

  // Valid after Ok: the bytes after the head of the proxy's answer. They come from the destination, not from the proxy.
  const std::string& rest() const { return held_; }
  // Valid after Refused, human-readable and escaped for terminals: `the proxy answered "407 Proxy Authentication
  // Required"`.
  const std::string& why() const { return why_; }

 private:
  Verdict refuse(std::string why);
  Verdict read(std::string_view head);

  Verdict verdict_ = Verdict::More;
  std::string held_;
  std::string why_;
};

}  // namespace band::gateway
