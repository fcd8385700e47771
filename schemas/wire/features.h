// Features: what a request can have that an older server does not accept. A server lists its features in its proof and
// in GET /v1/health. A client sends a request only if the server has every feature that the request needs; otherwise
// the server would answer with BAD_REQUEST, because request_from_json() refuses unknown members.
//
// The first form of the wire has no feature: a server without the list accepts the members that the file
// tests/pure/schemas/wire/features_test.cc lists. Every later member of a request belongs to a feature of kFeatures;
// the same test fails when it does not. Answers need no features, because readers ignore unknown members.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/json_fwd.h"

namespace band {

struct ExecRequest;

struct Feature {
  std::string_view name;  // on the wire; is_feature_name(name) is true
  std::string_view what;  // for messages, completes "the server cannot ...": "let a rule of write match dot names"
  // The members of a request that need the feature; unused elements are "". A member is written as its path in the
  // request, and `[]` stands for every element of a list: "rules.write.opened[][].optional".
  std::array<std::string_view, 4> members = {};
};

// All features of this build, for client and server.
inline constexpr std::array<Feature, 2> kFeatures{
    {{"write-dot",
      "let the value of a placeholder name files that begin with a dot (`dot: true` in a rule of write)",
      {"rules.write.opened[][].dot", "rules.write.insist[].dot"}},
     {"whole-files",
      "return files as the script wrote them (it masks the secrets of the band in them)",
      {"wholeFiles"}}}};

// Returns whether `name` has 1 to 64 of the characters a-z 0-9 -.
bool is_feature_name(std::string_view name);
std::vector<std::string> feature_names();  // the names of kFeatures

// Returns the features of `all` that the JSON of a request needs. A request needs a feature if it has one of the
// feature's members, regardless of the member's value, because a server without the feature refuses the member.
std::vector<Feature> needed_features(const Json& request, std::span<const Feature> all = kFeatures);

// The body of POST /v1/exec. It contains the secrets of the request.
struct RequestBody {
  std::string text;            // the JSON of the request
  std::vector<Feature> needs;  // needed_features()
};
RequestBody body_of(const ExecRequest& request);

// The build of a server, as the server reports it. The texts are safe to print.
struct ServerBuild {
  std::string source;  // the digest of the sources from which the server was built, 64 hex digits; "": not known
  std::vector<std::string> features;

  bool has(const Feature& feature) const;
};
// Reads the members `source` and `features` of a proof or of /v1/health. The server is not trusted: leaves out what
// does not have the form of a digest or of a feature's name, and reads at most kMostFeatures features.
ServerBuild build_from_json(const Json& value);
inline constexpr std::size_t kMostFeatures = 256;

// Compares a server with this build. `own_source`: the digest of the sources of this build; "": not known.
enum class Age {
  Same,   // both were built from the same sources; or own_source is "", and the features do not differ
  Older,  // the server sends no digest, or it has fewer features
  Newer,  // the server has more features
  Other,  // the sources differ, and the features do not show which of the two is older
};
Age age_of_server(const ServerBuild& server, std::string_view own_source, std::span<const Feature> own = kFeatures);

}  // namespace band
