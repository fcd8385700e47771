// Decides from the head of a request whether the request is accepted. The decision is made before a byte of the body is
// read, before `100 Continue` is sent, and before cpp-httplib receives the request. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "server/http/config.h"
#include "server/http/head.h"
#include "server/http1/body.h"

namespace band::http {

// Proof: the server proves that it has the hash of the caller's token (docs/architecture.md 5). Exec: starts an
// execution. Cancel: ends an execution. Input: the standard input of an execution.
enum class Route { Proof, Exec, Cancel, Input, Health, Metrics };

// The method and path of one route. If `of_execution` is set, the path of a request consists of `path`, an execution's
// id and `behind`; otherwise the path of a request equals `path`.
struct Place {
  std::string_view method, path, behind = {};
  Route route = Route::Health;
  bool of_execution = false;
};
// All routes of the server (schemas/openapi.yaml).
inline constexpr Place kPlaces[] = {
    {"GET", "/v1/proof", "", Route::Proof},           {"POST", "/v1/exec", "", Route::Exec},
    {"GET", "/v1/health", "", Route::Health},         {"GET", "/v1/metrics", "", Route::Metrics},
    {"DELETE", "/v1/exec/", "", Route::Cancel, true}, {"POST", "/v1/exec/", "/input", Route::Input, true},
};

struct Admitted {
  Route route = Route::Health;
  std::string token;       // name of the caller's token; empty for Proof
  std::string token_id;    // id of the caller's token; empty for Proof
  std::string token_hash;  // hash of the caller's token, for a second check after the body has arrived; empty for Proof
  std::string id;          // Cancel, Input: the execution's id. Proof: the token's id
  std::string nonce;       // Proof: the client's nonce
  bool ndjson = false;     // Exec: the client requests a stream of events
  bool expects_continue = false;  // Exec, Input: the client waits for `100 Continue` before it sends the body
  bool close = false;             // the request has `Connection: close`
  http1::BodyPlan body;
};

// Returns the request's properties if it is accepted, otherwise the error answer. `port`: the bound port of this
// server, which the Host header must name.
std::variant<Admitted, Refusal> admit(const Head& head, const Config& config, std::uint16_t port);

// Returns the token with this hash, or nullptr when `config` has none; the pointer is valid as long as `config`.
// Compares all hashes, each in constant time.
const Token* find_token(const Config& config, std::string_view hash);

Refusal unauthorized();  // 401: the token is missing or unknown

// Returns the head that cpp-httplib receives. This head is generated from `request` and contains no byte that the
// client chose: no Range, Accept-Encoding or Upgrade header, and no percent sign. The generated head states that the
// request has no body.
std::string clean_head(const Admitted& request);

std::string_view method_of(Route route);
std::string path_of(Route route);  // the path in clean_head(): without an id

}  // namespace band::http
