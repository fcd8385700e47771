#include "server/gateway/proxy.h"

#include <algorithm>

#include "schemas/core/json_text.h"
#include "server/http1/fields.h"

namespace band::gateway {
namespace {

constexpr std::size_t kMaxFields = 100;

// "HTTP/1.1 200 Connection established" -> 200; 0: not a status line.
int status_of(std::string_view line) {
  if (!line.starts_with("HTTP/1.1 ") && !line.starts_with("HTTP/1.0 ")) return 0;
  const std::string_view code = line.substr(9, 3);
  if (code.size() != 3 || code.find_first_not_of("0123456789") != std::string_view::npos) return 0;
  if (line.size() > 12 && line[12] != ' ') return 0;
  return std::stoi(std::string(code));
}

}  // namespace

std::string connect_request(std::string_view host, std::uint16_t port) {
  const bool ipv6 = host.find(':') != std::string_view::npos;
  const std::string authority = (ipv6 ? "[" + std::string(host) + "]" : std::string(host)) + ':' + std::to_string(port);
  return "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n";
}

ProxyAnswer::Verdict ProxyAnswer::refuse(std::string why) {
  why_ = std::move(why);
  return verdict_ = Verdict::Refused;
}

ProxyAnswer::Verdict ProxyAnswer::read(std::string_view head) {
  const auto read = http1::read_lines(head, kMaxFields);
  const auto* lines = std::get_if<http1::Lines>(&read);
  const int status = lines != nullptr ? status_of(lines->first) : 0;
  if (status == 0) return refuse("the proxy did not answer in HTTP/1.1");
  if (status >= 100 && status < 200) return Verdict::More;  // an interim answer; the final one follows
  if (status >= 200 && status < 300) return verdict_ = Verdict::Ok;
  return refuse("the proxy answered " + shown_string(std::string_view(lines->first).substr(9)));
}

ProxyAnswer::Verdict ProxyAnswer::feed(std::string_view bytes) {
  if (verdict_ == Verdict::Refused) return verdict_;
  held_ += bytes;
  while (verdict_ == Verdict::More) {
    const auto end = held_.find("\r\n\r\n");
    if (std::min(end, held_.size()) >= kMaxProxyAnswerBytes)
      return refuse("the head of the proxy's answer is too large");
    if (end == std::string::npos) break;
    const std::string head = held_.substr(0, end + 4);
    held_.erase(0, end + 4);
    read(head);
  }
  return verdict_;
}

}  // namespace band::gateway
