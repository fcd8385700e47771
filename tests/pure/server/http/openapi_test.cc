// Compares openapi.yaml and wire.schema.json with what band-http serves and with the messages of schemas/wire/wire.h.
// Not compared: the statuses of answers, /v1/health and /v1/metrics, and which events the engine sends.
#include <doctest/doctest.h>
#include <yaml-cpp/yaml.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "schemas/core/json.h"
#include "schemas/wire/wire.h"
#include "server/http/admission.h"

namespace band {
namespace {

constexpr std::uint16_t kPort = kDefaultPort;
const std::string kToken = "band_0123abcd_" + std::string(64, '7');

// JSON is YAML.
const YAML::Node& document(const std::string& name) {
  static std::map<std::string, YAML::Node> loaded;
  auto found = loaded.find(name);
  if (found == loaded.end()) found = loaded.emplace(name, YAML::LoadFile(BAND_SOURCE_DIR "/schemas/" + name)).first;
  return found->second;
}

// A document and a node in it.
struct Schema {
  YAML::Node root, node;

  bool has(const char* key) const { return node[key].IsDefined(); }
  Schema operator[](const std::string& key) const {
    const YAML::Node found = node[key];
    REQUIRE_MESSAGE(found.IsDefined(), "there is no " << key);
    return Schema{root, found}.resolved();
  }
  Schema resolved() const {
    if (!node.IsMap() || !has("$ref")) return *this;
    const auto path = node["$ref"].as<std::string>();
    REQUIRE(path.starts_with("#/"));
    return Schema{root, root}.below(path.substr(2));
  }
  // Assigning nodes would change the document.
  Schema below(const std::string& path) const {
    const auto end = path.find('/');
    const Schema next = (*this)[path.substr(0, end)];
    return end == std::string::npos ? next : next.below(path.substr(end + 1));
  }
  std::set<std::string> keys() const {
    std::set<std::string> all;
    for (const auto& entry : node) all.insert(entry.first.as<std::string>());
    return all;
  }
  // Returns the value of a scalar, or the values of a list of scalars.
  std::set<std::string> words() const {
    if (node.IsScalar()) return {node.as<std::string>()};
    std::set<std::string> all;
    for (const auto& entry : node) all.insert(entry.as<std::string>());
    return all;
  }
};

Schema in(const std::string& name) { return {document(name), document(name)}; }
Schema described(const std::string& name) { return in("openapi.yaml")["components"]["schemas"][name]; }
Schema defined(const std::string& name) { return in("wire.schema.json")["definitions"][name]; }

std::string type_of(const Json& value) {
  if (value.is_number_integer()) return "integer";
  if (value.is_number()) return "number";
  return value.is_null() ? "null" : value.is_boolean() ? "boolean" : value.type_name();
}

// Returns the differences between a message that has every member and its description; "" when there are none.
std::string difference(const Schema& schema, const Json& message, const std::string& where) {
  std::string found;
  if (schema.has("type")) {
    const auto types = schema["type"].words();
    const std::string type = type_of(message);
    if (types.count(type) == 0 && !(type == "integer" && types.count("number") != 0))
      found += where + " is of type " + type + "; ";
  }
  if (message.is_array() && schema.has("items"))
    for (const Json& item : message) found += difference(schema["items"], item, where + "[]");
  if (!message.is_object()) return found;
  for (const auto& [key, value] : message.items()) {
    const std::string at = where + "." + key;
    if (schema.has("properties") && schema["properties"].has(key.c_str()))
      found += difference(schema["properties"][key], value, at);
    else if (schema.has("additionalProperties") && schema["additionalProperties"].node.IsMap())
      found += difference(schema["additionalProperties"], value, at);
    else if (schema.has("properties"))
      found += at + " is not described; ";
  }
  if (schema.has("properties"))
    for (const std::string& key : schema["properties"].keys())
      if (!message.contains(key)) found += where + "." + key + " is not written; ";
  return found;
}

// Returns where the reader differs from `required`, or accepts unknown members that the description forbids; "" when it
// does not.
template <class Read>
std::string read_otherwise(const Schema& schema, const Json& message, const Read& read) {
  std::string found = read(message).ok() ? "" : "the whole is refused; ";
  const auto required = schema["required"].words();
  for (const auto& [key, value] : message.items()) {
    Json without = message;
    without.erase(key);
    if (read(without).ok() != (required.count(key) == 0)) found += key + "; ";
  }
  Json with_more = message;
  with_more["ofNobody"] = 1;
  const bool open = !schema.has("additionalProperties") || schema["additionalProperties"].node.as<bool>();
  return found + (read(with_more).ok() == open ? "" : "unknown members; ");
}

Domain whole_domain(const std::string& pattern) {
  const Rule rule{pattern, "BAND.md:1"};
  return {{{rule}}, {rule}, {rule}};
}

ExecRequest whole_request() {
  ExecRequest request;
  request.script = "hello/greet";
  request.source = "true\n";
  request.lib = {{"a.sh", 0644, "x", 1}};
  request.skill_files = {{"assets/a", 0644, "x", 1}};
  request.rules.cli = whole_domain("jq *");
  request.rules.net = whole_domain("example.com");
  request.rules.read = request.rules.write = whole_domain("/a");
  for (Domain* domain : {&request.rules.read, &request.rules.write}) domain->opened[0][0].optional = true;
  request.rules.write.opened[0][0].dot = request.rules.write.insist[0].dot = true;
  request.rules.limit = {1, 1, 1, 1, 1, 1, 1, 1, 0.5};
  request.rules.env = {{"PLAIN", false, false, "fallback", "for a test", "BAND.md:2"}};
  request.files = {{"a", 0644, "x", 1}};
  request.stdin_open = true;
  request.keep_partial = true;
  request.whole_files = true;
  request.raw_logs = true;
  request.terminal = TerminalRequest{};
  return request;
}

Answer whole_answer() {
  Answer answer;
  answer.id = "0123456789abcdef";
  answer.error = Error{.code = Code::ScriptFailed, .doing = "exit 3", .hint = "look", .details = "[1]"};
  answer.data = Json{{"a", 1}};
  answer.files = {{"out/a", 0644, "x", 1}};
  answer.not_written = {"b"};
  answer.removed = {"c"};
  answer.renamed = {{"d", "e"}};
  answer.mode_changed = {"f"};
  answer.exit_status = 3;
  answer.ledger = {{"write", "wrote out/a", Json{{"bytes", 1}}}};
  return answer;
}

// Returns band-http's status for a request by `method` for a path of openapi.yaml: 200, or that of the refusal.
int admitted(const std::string& method, std::string path, const std::string& type, bool with_token, bool with_query) {
  if (const auto id = path.find("{id}"); id != std::string::npos) path.replace(id, 4, "0123456789abcdef");
  if (with_query) path += "?token=0123abcd&nonce=" + std::string(32, '0');
  std::string text = method + " " + path + " HTTP/1.1\r\nHost: localhost:" + std::to_string(kPort) + "\r\n";
  if (with_token) text += "Authorization: Bearer " + kToken + "\r\n";
  if (method == "POST") text += "Content-Type: " + type + "\r\nContent-Length: 2\r\n";
  const auto head = http::parse_head(text + "\r\n");
  REQUIRE(std::holds_alternative<http::Head>(head));
  const http::Config config{"127.0.0.1", kPort, 1, {{"me", "0123abcd", token_hash(kToken)}}};
  const auto verdict = http::admit(std::get<http::Head>(head), config, kPort);
  const auto* refusal = std::get_if<http::Refusal>(&verdict);
  return refusal == nullptr ? 200 : refusal->status;
}

std::string listed(const std::set<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += word + "; ";
  return all;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(c - 'a' + 'A');
  return text;
}

}  // namespace

TEST_CASE("exactly the paths and methods of openapi.yaml are served") {
  const Schema paths = in("openapi.yaml")["paths"];
  std::set<std::string> written;
  for (const std::string& path : paths.keys())
    for (const std::string& method : paths[path].keys()) {
      CAPTURE(path);
      CAPTURE(method);
      written.insert(upper(method) + " " + path);
      const Schema operation = paths[path][method];
      const std::string type = operation.has("requestBody") ? *operation["requestBody"]["content"].keys().begin() : "";
      bool query = false;
      if (operation.has("parameters"))
        for (const auto& parameter : operation["parameters"].node)
          query |= parameter["in"].as<std::string>() == "query";
      const bool open = operation.has("security");  // security: []
      CHECK(admitted(upper(method), path, type, true, query) == 200);
      CHECK(admitted(upper(method), path, type, false, query) == (open ? 200 : 401));
      CHECK(admitted(upper(method), path, type, true, !query) == 400);
      for (const char* other : {"get", "head", "post", "put", "patch", "delete"})
        if (!paths[path].has(other)) CHECK(admitted(upper(other), path, type, true, query) == 405);
    }
  std::set<std::string> served;
  for (const http::Place& place : http::kPlaces)
    served.insert(std::string(place.method) + " " + std::string(place.path) + (place.of_execution ? "{id}" : "") +
                  std::string(place.behind));
  CHECK(listed(served) == listed(written));
}

TEST_CASE("requests match openapi.yaml and wire.schema.json") {
  Json request = request_to_json(whole_request());
  CHECK(difference(defined("request"), request, "request") == "");
  CHECK(difference(described("ExecRequest"), request, "request") == "");
  for (const Schema& schema : {defined("request"), described("ExecRequest")}) {
    CHECK(read_otherwise(schema, request, request_from_json) == "");
    CHECK(read_otherwise(schema["properties"]["files"]["items"], request["files"][0], [&](const Json& file) {
            Json with = request;
            with["files"][0] = file;
            return request_from_json(with);
          }) == "");
  }
  const Schema properties = described("ExecRequest")["properties"];
  CHECK(properties["source"]["maxLength"].node.as<std::size_t>() == kMaxSourceBytes);
  CHECK(properties["lib"]["maxItems"].node.as<std::size_t>() == kMaxLibFiles);
  CHECK(properties["skillFiles"]["maxItems"].node.as<std::size_t>() == kMaxSkillFiles);
  CHECK(properties["files"]["maxItems"].node.as<std::size_t>() == kMaxWireFiles);
}

TEST_CASE("answers match openapi.yaml and wire.schema.json") {
  const Json answer = answer_to_json(whole_answer());
  for (const Schema& schema : {defined("answer"), described("Answer")}) {
    CHECK(difference(schema, answer, "answer") == "");
    CHECK(read_otherwise(schema, answer, answer_from_json) == "");
  }
  CHECK(described("Answer")["properties"]["metrics"].has("additionalProperties"));
  const Json refusal = error_to_json(*whole_answer().error);
  CHECK(difference(defined("refusal"), refusal, "refusal") == "");
  CHECK(difference(described("Error"), refusal, "refusal") == "");
}

TEST_CASE("openapi.yaml lists exactly the error codes") {
  std::set<std::string> codes;
  for (int code = 0; code <= static_cast<int>(kLastCode); ++code) codes.emplace(code_name(static_cast<Code>(code)));
  CHECK(listed(described("ErrorBody")["properties"]["code"]["enum"].words()) == listed(codes));
}

TEST_CASE("openapi.yaml and wire.schema.json describe the same events with the same members") {
  std::set<std::string> kinds, members;
  for (const auto& node : described("Event")["oneOf"].node) {
    const Schema event{described("Event").root, node};
    const Schema kind = event["properties"]["event"];
    members.merge(event["properties"].keys());
    kinds.merge((kind.has("const") ? kind["const"] : kind["enum"]).words());
  }
  CHECK(listed(defined("event")["properties"].keys()) == listed(members));
  CHECK(listed(defined("event")["properties"]["event"]["examples"].words()) == listed(kinds));
}

}  // namespace band
