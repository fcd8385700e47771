// Which requests are taken, decided on the head alone: before a byte of the body is read, before `100 Continue`, and
// before cpp-httplib sees the request. Pure.
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

// With an execution's id between `path` and `behind`, where the route is about one.
struct Place {
  std::string_view method, path, behind = {};
  Route route = Route::Health;
  bool of_execution = false;
};
// All that is served (schemas/openapi.yaml).
inline constexpr Place kPlaces[] = {
    {"GET", "/v1/proof", "", Route::Proof},           {"POST", "/v1/exec", "", Route::Exec},
    {"GET", "/v1/health", "", Route::Health},         {"GET", "/v1/metrics", "", Route::Metrics},
    {"DELETE", "/v1/exec/", "", Route::Cancel, true}, {"POST", "/v1/exec/", "/input", Route::Input, true},
};

struct Admitted {
  Route route = Route::Health;
  std::string token;       // the caller's name; empty for Proof
  std::string token_id;    // and its id
  std::string token_hash;  // of the caller: asked for again once the body is there
  std::string id;          // Cancel, Input: of the execution. Proof: of the token
  std::string nonce;       // Proof
  bool ndjson = false;     // Exec: a stream of events is wanted
  bool expects_continue = false;
  bool close = false;  // the client closes after this request
  http1::BodyPlan body;
};

std::variant<Admitted, Refusal> admit(const Head& head, const Config& config, std::uint16_t port);

// Is a token with this hash (still) known? Looks at all of them, in constant time each.
const Token* find_token(const Config& config, std::string_view hash);

Refusal unauthorized();

// The head as cpp-httplib gets it: written anew from what was admitted, so no byte in it was chosen by the client, and
// without a body. Range, Accept-Encoding, Upgrade, percent signs and the like never arrive there.
std::string clean_head(const Admitted& request);

std::string_view method_of(Route route);
std::string path_of(Route route);  // as cpp-httplib sees it: without an id

}  // namespace band::http
