// Decides whether a request is accepted, from its head alone: before a byte of the body is read, before `100 Continue`
// is sent, and before cpp-httplib receives the request. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "server/http/config.h"
#include "server/http/head.h"
#include "server/http1/body.h"

namespace band::http {

enum class Route { Proof, Exec, Cancel, Input, Health, Metrics };

// A route. With `of_execution`, its path is `path`, an execution's id, `behind`; otherwise it is `path`.
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
  std::string token;       // the caller's name; empty for Proof
  std::string token_id;    // the caller's token id; empty for Proof
  std::string token_hash;  // the caller's; looked up again after the body has been read
  std::string id;          // Cancel, Input: the execution's id. Proof: the token's id
  std::string nonce;       // Proof
  bool ndjson = false;     // Exec: the client requests a stream of events
  bool expects_continue = false;
  bool close = false;  // Connection: close
  http1::BodyPlan body;
};

std::variant<Admitted, Refusal> admit(const Head& head, const Config& config, std::uint16_t port);

// Returns the token with this hash, or nullptr when `config` has none. Compares all hashes, each in constant time.
const Token* find_token(const Config& config, std::string_view hash);

Refusal unauthorized();

// Returns the head that cpp-httplib receives. It is generated from what was admitted: it contains no byte that the
// client chose, no Range, Accept-Encoding, Upgrade or percent sign, and announces no body.
std::string clean_head(const Admitted& request);

std::string_view method_of(Route route);
std::string path_of(Route route);  // the path in clean_head(): without an id

}  // namespace band::http
