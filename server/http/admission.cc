#include "server/http/admission.h"

#include <algorithm>
#include <optional>

#include "schemas/core/hex.h"
#include "schemas/wire/wire.h"

namespace band::http {
namespace {

constexpr std::size_t kExecIdDigits = 16;

Refusal bad(int status, std::string message, std::string hint) {
  return refusal(status, Code::BadRequest, std::move(message), std::move(hint));
}

// DNS rebinding: a web page can make its own host name resolve to 127.0.0.1; Host then contains that name.
bool is_own_host(const std::string& host, const Config& config, std::uint16_t port) {
  const std::string end = ":" + std::to_string(port);
  const std::string literal =
      config.address.find(':') == std::string::npos ? config.address : "[" + config.address + "]";
  for (const std::string& name : {std::string("127.0.0.1"), std::string("localhost"), std::string("[::1]"), literal})
    if (http1::lower(host) == name + end || (port == 80 && http1::lower(host) == name)) return true;
  return false;
}

std::optional<Refusal> check_headers(const Head& head, const Config& config, std::uint16_t port) {
  for (const char* name : {"host", "content-length", "transfer-encoding", "content-type", "content-encoding",
                           "authorization", "expect", "connection", "accept", "origin", "range"})
    if (head.count(name) > 1)
      return bad(400, std::string("the header ") + name + " occurs twice", "send the header once");
  const std::string* host = head.find("host");
  if (host == nullptr) return bad(400, "the Host header is missing", "send the Host header, which HTTP/1.1 requires");
  if (!is_own_host(*host, config, port))
    return bad(421, "the Host header does not name this server", "use http://127.0.0.1:" + std::to_string(port));
  if (head.find("origin") != nullptr)
    return bad(403, "the request has an Origin header: requests of web pages are refused",
               "use the band command, or a client that sends no Origin header");
  if (head.find("range") != nullptr)
    return bad(400, "the server does not support ranges", "leave out the Range header");
  if (head.find("content-length") != nullptr && head.find("transfer-encoding") != nullptr)
    return bad(400, "the request has both Content-Length and Transfer-Encoding", "send one of them");
  return std::nullopt;
}

std::string_view id_between(std::string_view path, const Place& place) {
  const std::size_t around = place.path.size() + place.behind.size();
  if (path.size() <= around || !path.starts_with(place.path) || !path.ends_with(place.behind)) return "";
  return path.substr(place.path.size(), path.size() - around);
}

std::optional<Refusal> find_route(const Head& head, Admitted& request) {
  const Place* place = nullptr;
  for (const Place& candidate : kPlaces) {
    if (!candidate.of_execution) {
      if (head.path == candidate.path) place = &candidate;
      continue;
    }
    const std::string_view id = id_between(head.path, candidate);
    if (!is_hex(id, kExecIdDigits)) continue;
    place = &candidate;
    request.id = id;
  }
  if (place == nullptr)
    return bad(404, "there is no resource at this path",
               "see schemas/openapi.yaml for the paths; update the server if the client is newer");
  if (head.method != place->method) {
    Refusal no = bad(405, "this path accepts " + std::string(place->method) + " only", "");
    no.allow = place->method;
    return no;
  }
  if (head.has_query != (place->route == Route::Proof))
    return bad(400, head.has_query ? "this path does not accept a query" : "the query is missing",
               "see schemas/openapi.yaml");
  request.route = place->route;
  return std::nullopt;
}

std::optional<Refusal> read_proof_query(const Head& head, Admitted& request) {
  std::string_view rest = head.query;
  while (!rest.empty()) {
    const auto end = rest.find('&');
    const std::string_view part = rest.substr(0, end);
    rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
    std::string* into = part.starts_with("token=")   ? &request.id
                        : part.starts_with("nonce=") ? &request.nonce
                                                     : nullptr;
    if (into == nullptr || !into->empty()) return bad(400, "the query is not token=ID&nonce=HEX", "");
    *into = part.substr(6);
  }
  if (!is_hex(request.id, 8))
    return bad(400, "`token` in the query is not the 8 hex digits of a token's id",
               "send the token's id, never the token itself");
  // 32 digits: 128 random bits, so that no answer can be replayed.
  if (request.nonce.size() < 32 || request.nonce.size() > 64 || !is_hex(request.nonce))
    return bad(400, "`nonce` in the query is not 32 to 64 lower-case hex digits", "");
  return std::nullopt;
}

std::optional<Refusal> authorize(const Head& head, const Config& config, Admitted& request) {
  const std::string* header = head.find("authorization");
  if (header == nullptr || http1::lower(header->substr(0, 7)) != "bearer ") return unauthorized();
  const Token* token = find_token(config, token_hash(std::string_view(*header).substr(7)));
  if (token == nullptr) return unauthorized();
  request.token = token->name;
  request.token_id = token->id;
  request.token_hash = token->hash;
  return std::nullopt;
}

std::optional<Refusal> plan_body(const Head& head, Admitted& request) {
  if (const std::string* coding = head.find("transfer-encoding")) {
    if (http1::lower(*coding) != "chunked")
      return bad(501, "Transfer-Encoding is not `chunked`", "send the body with Content-Length, or chunked");
    request.body.kind = http1::BodyPlan::Kind::Chunked;
  }
  if (const std::string* length = head.find("content-length")) {
    const auto bytes = http1::read_content_length(*length);
    if (!bytes) return bad(400, "Content-Length is not a number", "send the body's size in bytes");
    request.body = http1::BodyPlan{http1::BodyPlan::Kind::Length, *bytes};
  }
  if (request.route == Route::Input) return std::nullopt;  // a body of any size, passed on while it arrives
  if (request.route != Route::Exec) {
    if (request.body.kind == http1::BodyPlan::Kind::Chunked || request.body.length > 0)
      return bad(400, "this request must not have a body", "");
    request.body = http1::BodyPlan{};
    return std::nullopt;
  }
  if (request.body.kind == http1::BodyPlan::Kind::None)
    return bad(411, "there is neither Content-Length nor Transfer-Encoding", "send one of them");
  if (request.body.kind == http1::BodyPlan::Kind::Length && request.body.length == 0)
    return bad(400, "the body is empty", "send the request as JSON");
  if (request.body.length > kMaxBodyBytes)
    return refusal(413, Code::LimitExceeded,
                   "the body of " + std::to_string(request.body.length) + " bytes exceeds the limit of " +
                       std::to_string(kMaxBodyBytes) + " bytes",
                   "send fewer or smaller files: narrow allow.read, or choose a smaller --workspace");
  return std::nullopt;
}

std::optional<Refusal> check_content(const Head& head, Admitted& request) {
  if (head.find("content-encoding") != nullptr)
    return bad(415, "the body has a Content-Encoding", "send the body uncompressed");
  const std::string_view wanted = request.route == Route::Exec    ? "application/json"
                                  : request.route == Route::Input ? "application/octet-stream"
                                                                  : "";
  const std::string* type = head.find("content-type");
  if (!wanted.empty() &&
      (type == nullptr || http1::lower(http1::trimmed(std::string_view(*type).substr(0, type->find(';')))) != wanted))
    return bad(415, "the body is not " + std::string(wanted), "send Content-Type: " + std::string(wanted));
  if (const std::string* expect = head.find("expect")) {
    if (http1::lower(*expect) != "100-continue")
      return bad(417, "the Expect header is not 100-continue", "leave out the Expect header");
    request.expects_continue = request.route == Route::Exec || request.route == Route::Input;
  }
  if (const std::string* accept = head.find("accept"))
    for (const std::string& type_name : http1::elements(*accept)) request.ndjson |= type_name == "application/x-ndjson";
  if (const std::string* connection = head.find("connection"))
    for (const std::string& option : http1::elements(*connection)) request.close |= option == "close";
  return std::nullopt;
}

}  // namespace

std::variant<Admitted, Refusal> admit(const Head& head, const Config& config, std::uint16_t port) {
  Admitted request;
  if (auto no = check_headers(head, config, port)) return *no;
  if (auto no = find_route(head, request)) return *no;
  if (request.route == Route::Proof) {
    if (auto no = read_proof_query(head, request)) return *no;
  } else {
    if (auto no = authorize(head, config, request)) return *no;
  }
  if (auto no = plan_body(head, request)) return *no;
  if (auto no = check_content(head, request)) return *no;
  return request;
}

const Token* find_token(const Config& config, std::string_view hash) {
  const Token* found = nullptr;
  for (const Token& token : config.tokens)
    if (equal_in_constant_time(token.hash, hash)) found = &token;  // no break: the time must not depend on the position
  return found;
}

Refusal unauthorized() {
  return refusal(401, Code::Unauthorized, "the token is missing or unknown",
                 "send Authorization: Bearer TOKEN; create a token with `band token add NAME` on the server");
}

std::string_view method_of(Route route) {
  for (const Place& place : kPlaces)
    if (place.route == route) return place.method;
  return "";
}

std::string path_of(Route route) {
  for (const Place& place : kPlaces)
    if (place.route == route) return std::string(place.path).append(place.behind);
  return "";
}

std::string clean_head(const Admitted& request) {
  std::string text;
  text.append(method_of(request.route)).append(" ").append(path_of(request.route)).append(" HTTP/1.1\r\n");
  // cpp-httplib 0.11.4 reads a DELETE without a length until EOF.
  if (method_of(request.route) != "GET") text += "Content-Length: 0\r\n";
  if (request.close) text += "Connection: close\r\n";
  return text + "\r\n";
}

}  // namespace band::http
