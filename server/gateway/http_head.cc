#include "server/gateway/http_head.h"

#include <algorithm>
#include <array>

#include "schemas/core/json_text.h"

namespace band::gateway {
namespace {

Error malformed(std::string what, std::string hint = "send HTTP/1.1 as RFC 9112 specifies it") {
  return Error{.code = Code::BadRequest, .doing = std::move(what), .hint = std::move(hint)};
}

Error refused(std::string what, std::string hint) {
  return Error{.code = Code::PermissionDenied, .doing = std::move(what), .hint = std::move(hint)};
}

bool is_target(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > 0x20 && c != 0x7f && c != '#'; });
}

Status read_request_line(std::string_view line, HttpRequest& request) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last || !http1::is_token(line.substr(0, first)))
    return malformed("the request line is not METHOD TARGET HTTP/1.1");
  const std::string_view version = line.substr(last + 1);
  if (version != "HTTP/1.1" && version != "HTTP/1.0")
    return malformed("the request's version is neither HTTP/1.1 nor HTTP/1.0");
  request.method = line.substr(0, first);
  request.target = line.substr(first + 1, last - first - 1);
  request.minor = version.back() - '0';
  if (request.method == "CONNECT")
    return refused("the request is CONNECT", "the gateway is not a proxy; connect to the host directly");
  if (!is_target(request.target)) return malformed("the request's target contains a space, a control character or #");
  if (request.target.starts_with('/') || (request.target == "*" && request.method == "OPTIONS")) return done();
  if (request.target.find("://") != std::string::npos)
    return refused("the request's target names a host (absolute form)",
                   "the gateway is not a proxy; unset http_proxy and request the path from the host");
  return malformed("the request's target is not a path");
}

Status read_host(const http1::Lines& lines, HttpRequest& request) {
  if (lines.count("host") != 1)
    return malformed(lines.count("host") == 0 ? "there is no Host header" : "there is more than one Host header");
  const std::string_view value = *lines.find("host");
  const auto colon = value.find(':');
  request.host = value.substr(0, colon);
  const bool named =
      !request.host.empty() && std::all_of(request.host.begin(), request.host.end(), [](unsigned char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' ||
               c == '_';
      });
  if (!named) return malformed("Host " + shown_string(value) + " is not NAME or NAME:PORT");
  if (colon == std::string_view::npos) return done();
  const auto number = http1::read_content_length(value.substr(colon + 1));
  if (!number || *number == 0 || *number > 65535)
    return malformed("Host " + shown_string(value) + " has an invalid port");
  request.port = static_cast<std::uint16_t>(*number);
  return done();
}

Status read_framing(const http1::Lines& lines, HttpRequest& request) {
  const std::string* coding = lines.find("transfer-encoding");
  const std::string* length = lines.find("content-length");
  if (coding != nullptr && length != nullptr) return malformed("there are both Content-Length and Transfer-Encoding");
  if (lines.count("content-length") > 1 || lines.count("transfer-encoding") > 1)
    return malformed("Content-Length or Transfer-Encoding is sent twice");
  if (coding != nullptr) {
    if (http1::lower(*coding) != "chunked" || request.minor == 0)
      return malformed("the Transfer-Encoding is not chunked, or the version is HTTP/1.0");
    request.body.kind = http1::BodyPlan::Kind::Chunked;
  }
  if (length != nullptr) {
    const auto bytes = http1::read_content_length(*length);
    if (!bytes) return malformed("Content-Length is not a number");
    request.body = {http1::BodyPlan::Kind::Length, *bytes};
  }
  return done();
}

// Checks the hop-by-hop headers. The next hop removes each header that Connection names (RFC 9110 7.6.1); the script
// must not choose which headers are removed.
Status check_hop(const http1::Lines& lines) {
  if (const std::string* upgrade = lines.find("upgrade"))
    return refused("the request would change the protocol (Upgrade: " + shown_string(*upgrade) + ")",
                   "use https, or plain HTTP/1.1 (curl --http1.1)");
  for (const auto& [name, value] : lines.fields) {
    if (name != "connection") continue;
    for (const std::string& option : http1::elements(value))
      if (!option.empty() && option != "close" && option != "keep-alive" && option != "te")
        return malformed("the Connection header contains " + shown_string(option),
                         "send close, or no Connection header");
  }
  const std::string* expect = lines.find("expect");
  if (lines.count("expect") > 1 || (expect != nullptr && http1::lower(*expect) != "100-continue"))
    return malformed("Expect is not 100-continue", "leave out the Expect header");
  return done();
}

bool is_written_anew(std::string_view name) {
  constexpr std::array<std::string_view, 7> kNames{"host", "content-length",   "transfer-encoding", "connection",
                                                   "te",   "proxy-connection", "keep-alive"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace

std::optional<std::size_t> head_bytes(std::string_view first) {
  for (std::size_t at = 0; (at = first.find('\n', at)) != std::string_view::npos; ++at) {
    const std::string_view before = first.substr(0, at + 1);
    // A bare LF, or an empty first line: servers differ in how they parse these, so read_http_request() refuses both.
    if (!before.ends_with("\r\n") || before.ends_with("\r\n\r\n") || at == 1) return at + 1;
  }
  if (first.size() >= kMaxHeadBytes) return first.size();
  return std::nullopt;
}

Result<HttpRequest> read_http_request(std::string_view head) {
  if (head.size() > kMaxHeadBytes || (head.size() == kMaxHeadBytes && !head.ends_with("\r\n\r\n")))
    return malformed("the request's head is larger than " + std::to_string(kMaxHeadBytes >> 10) + " KiB",
                     "send a smaller head; 64 KiB without a line end count as a head");
  auto read = http1::read_lines(head, kMaxHeaders);
  if (auto* bad = std::get_if<http1::BadLines>(&read)) return malformed(std::move(bad->what));
  auto& lines = std::get<http1::Lines>(read);
  HttpRequest request;
  BAND_CHECK(read_request_line(lines.first, request));
  BAND_CHECK(read_host(lines, request));
  BAND_CHECK(read_framing(lines, request));
  BAND_CHECK(check_hop(lines));
  std::erase_if(lines.fields, [](const http1::Field& field) { return is_written_anew(field.first); });
  request.fields = std::move(lines.fields);
  return request;
}

std::string HttpRequest::normalised() const {
  std::string text = method + ' ' + target + " HTTP/1." + std::to_string(minor) + "\r\n";
  const auto add = [&](std::string_view name, std::string_view value) {
    text.append(name).append(": ").append(value).append("\r\n");
  };
  add("Host", port ? host + ':' + std::to_string(*port) : host);
  for (const auto& [name, value] : fields) add(name, value);
  if (body.kind == http1::BodyPlan::Kind::Length) add("Content-Length", std::to_string(body.length));
  if (body.kind == http1::BodyPlan::Kind::Chunked) add("Transfer-Encoding", "chunked");
  add("Connection", "close");
  return text + "\r\n";
}

}  // namespace band::gateway
