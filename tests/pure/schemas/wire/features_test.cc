#include "schemas/wire/features.h"

#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "schemas/core/json.h"
#include "schemas/wire/wire.h"

using namespace band;

namespace {

// The members of a request when the first server listed its features. Never add a line: a new member belongs to a
// feature (kFeatures). DOMAIN stands for cli, net, read and write; LIST for opened[][], deny[] and insist[].
constexpr const char* kFirstForm = R"(
script source
lib[].path lib[].mode lib[].content lib[].modifiedUs
skillFiles[].path skillFiles[].mode skillFiles[].content skillFiles[].modifiedUs
input config env secrets
files[].path files[].mode files[].content files[].modifiedUs
stdin keepPartial rawLogs
terminal.columns terminal.rows terminal.type terminal.shell
rules.DOMAIN.LIST.pattern rules.DOMAIN.LIST.origin
rules.read.opened[][].optional rules.write.opened[][].optional
rules.limit.maxRuntimeMs rules.limit.maxInputBytes rules.limit.maxOutputBytes rules.limit.maxMemoryBytes
rules.limit.maxProcesses rules.limit.maxDiskBytes rules.limit.maxFiles rules.limit.maxOpenFiles
rules.limit.maxCostDollars
rules.env[].name rules.env[].required rules.env[].secret rules.env[].default rules.env[].description
rules.env[].origin
)";

std::string with(std::string text, const std::string& word, const std::string& value) {
  return text.replace(text.find(word), word.size(), value);
}

std::set<std::string> first_form() {
  std::set<std::string> all;
  std::istringstream words(kFirstForm);
  for (std::string word; words >> word;) {
    if (word.find("DOMAIN") == std::string::npos) {
      all.insert(word);
      continue;
    }
    for (const char* domain : {"cli", "net", "read", "write"})
      for (const char* list : {"opened[][]", "deny[]", "insist[]"})
        all.insert(with(with(word, "DOMAIN", domain), "LIST", list));
  }
  return all;
}

std::set<std::string> members_of_features() {
  std::set<std::string> all;
  for (const Feature& feature : kFeatures)
    for (const std::string_view member : feature.members)
      if (!member.empty()) all.emplace(member);
  return all;
}

// wire.schema.json; openapi_test compares it with the members that the code writes and reads.
const Json& schema() {
  static const Json value = [] {
    std::ifstream file(BAND_SOURCE_DIR "/schemas/wire.schema.json");
    std::stringstream text;
    text << file.rdbuf();
    return *parse_json(text.str(), "wire.schema.json");
  }();
  return value;
}

// Adds the paths (Feature::members) of all members that `node` describes.
void add_members(const Json& node, const std::string& path, std::set<std::string>& out) {
  if (node.contains("$ref")) {
    const auto name = node["$ref"].get<std::string>().substr(std::string("#/definitions/").size());
    return add_members(schema()["definitions"][name], path, out);
  }
  if (node.contains("items")) return add_members(node["items"], path + "[]", out);
  if (!node.contains("properties")) {
    out.insert(path);
    return;
  }
  const std::string before = path.empty() ? "" : path + ".";
  for (const auto& [name, member] : node["properties"].items()) add_members(member, before + name, out);
}

std::string listed(const std::vector<Feature>& features) {
  std::string all;
  for (const Feature& feature : features) all.append(feature.name).append(" ");
  return all;
}

std::string difference(const std::set<std::string>& from, const std::set<std::string>& without) {
  std::string all;
  for (const std::string& one : from)
    if (without.count(one) == 0) all += one + " ";
  return all;
}

ServerBuild built_from(const std::string& source, std::vector<std::string> features) {
  return {source, std::move(features)};
}

constexpr Feature kTop{"top", "read `top`", {"top"}};
constexpr Feature kDeep{"deep", "read `dot`", {"rules.write.opened[][].dot", "rules.write.insist[].dot"}};
constexpr Feature kBoth[] = {kTop, kDeep};
const std::string kOwn(64, 'a'), kOther(64, 'b');

}  // namespace

TEST_CASE("every member that was added to requests belongs to a feature, and a feature names only such members") {
  std::set<std::string> described;
  add_members(schema()["definitions"]["request"], "", described);
  REQUIRE(described.count("rules.write.opened[][].optional") == 1);  // the control
  std::set<std::string> known = first_form();
  for (const std::string& member : members_of_features()) CHECK_MESSAGE(known.insert(member).second, member);
  CHECK(difference(described, known) == "");
  CHECK(difference(known, described) == "");
}

TEST_CASE("features have distinct names of the right form, and texts") {
  std::set<std::string> names;
  for (const std::string& name : feature_names()) {
    CHECK_MESSAGE(is_feature_name(name), name);
    CHECK_MESSAGE(names.insert(name).second, name);
  }
  for (const Feature& feature : kFeatures) {
    CHECK(!feature.what.empty());
    CHECK(!feature.members[0].empty());
  }
}

TEST_CASE("a request needs exactly the features of which it has a member, regardless of its value") {
  const auto needed = [](const char* request) { return listed(needed_features(*parse_json(request, "r"), kBoth)); };
  CHECK(needed("{}") == "");
  CHECK(needed(R"({"rules": {"write": {"opened": [[{"pattern": "a"}], []], "insist": []}}})") == "");
  CHECK(needed(R"({"rules": {"read": {"opened": [[{"dot": true}]]}}})") == "");  // another domain
  CHECK(needed(R"({"input": {"top": 1, "dot": true}})") == "");                  // the script's own data
  CHECK(needed(R"({"rules": {"write": {"opened": [[{"pattern": "a"}], [{"pattern": "b"}, {"dot": false}]]}}})") ==
        "deep ");
  CHECK(needed(R"({"top": null, "rules": {"write": {"insist": [{"dot": true}]}}})") == "top deep ");
  for (const char* odd : {"[]", "null", R"({"rules": []})", R"({"rules": {"write": {"opened": {"dot": 1}}}})"})
    CHECK_MESSAGE(needed(odd) == "", odd);
}

TEST_CASE("the body of a request has its JSON and its features") {
  ExecRequest request;
  request.script = "a/b";
  request.source = "true\n";
  const RequestBody body = body_of(request);
  CHECK(body.text == dump_json(request_to_json(request)));
  CHECK(listed(body.needs) == listed(needed_features(request_to_json(request))));
}

TEST_CASE("the build that a server reports is bounded, and everything else than digests and names is left out") {
  const auto read = [](const char* text) { return build_from_json(*parse_json(text, "health")); };
  const std::string good = R"({"source": ")" + kOwn + R"(", "features": ["write-dot", "x2"], "more": 1})";
  CHECK(read(good.c_str()).source == kOwn);
  CHECK(read(good.c_str()).features == std::vector<std::string>{"write-dot", "x2"});
  CHECK(read(good.c_str()).has({"x2", "", {}}));
  CHECK_FALSE(read(good.c_str()).has({"x", "", {}}));
  for (const char* odd : {"[]", "null", "7", "{}", R"({"source": 1, "features": {}})", R"({"source": "abc"})",
                          R"({"features": "write-dot"})", R"({"features": [[], {}, null, 1, true, ""]})",
                          R"({"features": ["\u001b[2J", "a b", "A", "a\n", "\u202e", "a/b"]})"}) {
    CAPTURE(odd);
    CHECK(read(odd).source == "");
    CHECK(read(odd).features.empty());
  }
  const std::string upper = R"({"source": ")" + std::string(64, 'A') + "\"}";
  CHECK(read(upper.c_str()).source == "");
  Json many{{"source", std::string(65, 'a')}, {"features", Json::array()}};
  for (int i = 0; i < 100'000; ++i) many["features"].push_back("f" + std::to_string(i));
  many["features"][0] = std::string(65, 'a');
  CHECK(build_from_json(many).source == "");
  CHECK(build_from_json(many).features.size() == kMostFeatures - 1);
}

TEST_CASE("digests and features show which of server and client is older") {
  struct Row {
    ServerBuild server;
    std::string own;
    Age age;
  };
  const Row rows[] = {
      {built_from(kOwn, {"top", "deep"}), kOwn, Age::Same},
      {built_from(kOther, {"deep", "top"}), kOwn, Age::Other},
      {built_from(kOther, {"top"}), kOwn, Age::Older},
      {built_from(kOther, {"top", "deep", "later"}), kOwn, Age::Newer},
      {built_from(kOther, {"top", "later"}), kOwn, Age::Other},  // two branches
      {built_from("", {}), kOwn, Age::Older},
      {built_from("", {"top", "deep"}), "", Age::Older},
      {built_from(kOther, {"top", "deep"}), "", Age::Same},  // not comparable
      {built_from(kOther, {"top"}), "", Age::Older},
  };
  for (const Row& row : rows) {
    CAPTURE(row.server.source);
    CAPTURE(row.server.features.size());
    CHECK(age_of_server(row.server, row.own, kBoth) == row.age);
  }
}
