// The dialogue with a company's HTTP proxy (gateway.upstream_proxy): CONNECT, then its answer. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace band::gateway {

// `host` is a canonical name, or an address as text (IPv6 without brackets).
std::string connect_request(std::string_view host, std::uint16_t port);

inline constexpr std::size_t kMaxProxyAnswerBytes = 16 << 10;  // squid's refusals have under 1 KiB of head

class ProxyAnswer {
 public:
  enum class Verdict { More, Ok, Refused };

  // The next bytes of the proxy, any number.
  Verdict feed(std::string_view bytes);

  // After Ok: what came behind the answer's head; the first bytes of the host itself.
  const std::string& rest() const { return held_; }
  // After Refused, for people: `the proxy answered "407 Proxy Authentication Required"`. Harmless to a terminal.
  const std::string& why() const { return why_; }

 private:
  Verdict refuse(std::string why);
  Verdict read(std::string_view head);

  Verdict verdict_ = Verdict::More;
  std::string held_;
  std::string why_;
};

}  // namespace band::gateway
