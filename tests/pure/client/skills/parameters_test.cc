#include "client/skills/parameters.h"

#include <doctest/doctest.h>

#include "client/skills/schema_view.h"
#include "client/terminal/nearest.h"
#include "schemas/core/json.h"

using namespace band;
using namespace band::client;

namespace {

const Json kSchema = parse_json(R"({
  "type": "object",
  "required": ["name"],
  "properties": {
    "name": {"type": "string"},
    "count": {"type": "integer"},
    "ratio": {"type": "number"},
    "dryRun": {"type": "boolean"},
    "tags": {"type": "array", "items": {"type": "string"}},
    "ports": {"type": "array", "items": {"$ref": "#/definitions/port"}},
    "author": {"type": "object"},
    "size": {"type": ["integer", "string"]},
    "maybe": {"type": ["boolean", "null", "string"]},
    "level": {"enum": ["low", "high", 3]},
    "free": {},
    "snake_case": {"type": "string"},
    "noCache": {"type": "boolean"},
    "oneOrMany": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
    "referred": {"$ref": "#/definitions/port", "description": "a port"}
  },
  "definitions": {"port": {"type": "integer", "minimum": 1}}
})",
                                "schema")
                         .value();

std::string outcome(const std::vector<std::string>& words, Json input = Json::object()) {
  std::map<std::string, std::string> given;
  const auto made = apply_parameters(std::move(input), kSchema, words, given);
  return made.ok()
             ? dump_json(*made)
             : std::string(code_name(made.error().code)) + " " + made.error().message() + " | " + made.error().hint;
}

}  // namespace

TEST_CASE("words are converted to JSON by the types of the schema") {
  struct Row {
    std::vector<std::string> words;
    const char* expected;
  };
  const Row rows[] = {
      {{}, "{}"},
      {{"--name", "World"}, R"({"name":"World"})"},
      {{"--name=World"}, R"({"name":"World"})"},
      {{"--name="}, R"({"name":""})"},
      {{"--name=--x"}, R"({"name":"--x"})"},
      {{"--name", "-5"}, R"({"name":"-5"})"},
      {{"--name", "5"}, R"({"name":"5"})"},
      {{"--name=a=b"}, R"({"name":"a=b"})"},
      {{"--count", "9007199254740993"}, R"({"count":9007199254740993})"},
      {{"--count", "-5"}, R"({"count":-5})"},
      {{"--ratio", "1.5"}, R"({"ratio":1.5})"},
      {{"--ratio", "2"}, R"({"ratio":2})"},
      {{"--dry-run"}, R"({"dryRun":true})"},
      {{"--dryRun"}, R"({"dryRun":true})"},
      {{"--dry_run"}, R"({"dryRun":true})"},
      {{"--no-dry-run"}, R"({"dryRun":false})"},
      {{"--dry-run=false"}, R"({"dryRun":false})"},
      {{"--dry-run", "false"}, R"({"dryRun":false})"},
      {{"--dry-run", "--name", "x"}, R"({"name":"x","dryRun":true})"},
      {{"--no-cache"}, R"({"noCache":true})"},
      {{"--no-no-cache"}, R"({"noCache":false})"},
      {{"--tags", "a", "--tags", "b"}, R"({"tags":["a","b"]})"},
      {{"--tags=a"}, R"({"tags":["a"]})"},
      {{"--tags", R"(["a","b"])"}, R"({"tags":["a","b"]})"},
      {{"--tags", "[x"}, R"({"tags":["[x"]})"},
      {{"--ports", "80", "--ports", "443"}, R"({"ports":[80,443]})"},
      {{"--author", R"({"a":[1]})"}, R"({"author":{"a":[1]}})"},
      {{"--size", "5"}, R"({"size":5})"},
      {{"--size", "big"}, R"({"size":"big"})"},
      {{"--maybe"}, R"({"maybe":true})"},
      {{"--maybe=null"}, R"({"maybe":null})"},
      {{"--maybe", "text"}, R"({"maybe":"text"})"},
      {{"--level", "high"}, R"({"level":"high"})"},
      {{"--level", "3"}, R"({"level":"3"})"},
      {{"--free", "{\"a\":1}"}, R"({"free":{"a":1}})"},
      {{"--free", "plain"}, R"({"free":"plain"})"},
      {{"--snake-case", "x"}, R"({"snake_case":"x"})"},
      {{"--one-or-many", "x"}, R"({"oneOrMany":"x"})"},
      {{"--one-or-many", "x", "--one-or-many", "y"}, R"({"oneOrMany":["x","y"]})"},
      {{"--referred", "8080"}, R"({"referred":8080})"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.expected);
    CHECK(outcome(row.words) == row.expected);
  }
}

TEST_CASE("flags have precedence over --input, and other members are kept") {
  CHECK(outcome({"--count=2"}, Json{{"name", "a"}, {"count", 1}}) == R"({"name":"a","count":2})");
  CHECK(outcome({}, Json::array({1})) == "[1]");
  CHECK(outcome({"--count=2"}, nullptr) == R"({"count":2})");
}

TEST_CASE("an error names the flag and the expected type") {
  struct Row {
    std::vector<std::string> words;
    const char *message, *hint;
  };
  const Row rows[] = {
      {{"--count", "abc"}, "INPUT_INVALID --count: expected integer (rule `type`), got \"abc\"", "--count=5"},
      {{"--count", "1.5"}, "INPUT_INVALID --count: expected integer", ""},
      {{"--count", "0x10"}, "INPUT_INVALID --count: expected integer", ""},
      {{"--count", " 5"}, "INPUT_INVALID --count: expected integer", ""},
      {{"--count="}, "INPUT_INVALID --count: expected integer", ""},
      {{"--ratio", "NaN"}, "INPUT_INVALID --ratio: expected number", ""},
      {{"--dry-run=yes"}, "INPUT_INVALID --dry-run: expected boolean", "--dry-run=true"},
      {{"--ports", "80", "--ports", "x"}, "INPUT_INVALID --ports: expected integer", ""},
      {{"--author", "joe"}, "INPUT_INVALID --author: expected object", "JSON text"},
      {{"--author", "{"}, "INPUT_INVALID --author: expected object", ""},
      {{"--name"}, "USAGE --name needs a value (string)", "--name=VALUE"},
      {{"--name", "--count"}, "USAGE --name needs a value", ""},
      {{"--name", "a", "--name", "b"}, "USAGE --name is given twice", ""},
      {{"--dry-run", "--dry-run"}, "USAGE --dry-run is given twice", ""},
      {{"--dry-run", "--no-dry-run"}, "USAGE --dry-run is given twice", ""},
      {{"--no-name"}, "USAGE the script has no parameter --no-name", ""},
      {{"--no-dry-run=true"}, "USAGE --no-dry-run does not accept a value", ""},
      {{"--nmae", "x"}, "USAGE the script has no parameter --nmae", "did you mean `--name`?"},
      {{"--dryrunn"}, "USAGE the script has no parameter --dryrunn", "did you mean `--dry-run`?"},
      {{"World"}, "USAGE unexpected word \"World\"", "--name value"},
      {{"--"}, "USAGE unexpected word \"--\"", ""},
  };
  for (const Row& row : rows) {
    const std::string got = outcome(row.words);
    CAPTURE(got);
    CHECK(got.starts_with(row.message));
    CHECK(got.find(row.hint) != std::string::npos);
  }
  CHECK(outcome({"--name=x"}, Json::array()).starts_with("USAGE --input is array"));
}

TEST_CASE("an unknown flag that is similar to one of band's own gets that as a hint") {
  const Json schema =
      parse_json(R"({"properties": {"path": {"type": "string"}, "workspaces": {"type": "string"}}})", "schema").value();
  const auto hint = [&](const std::string& word, const Json& of) {
    std::map<std::string, std::string> given;
    const auto made = apply_parameters(Json::object(), of, {word}, given);
    return made.ok() ? "taken" : made.error().hint;
  };
  CHECK(hint("--dryrun", schema) == "did you mean band's own `--dry-run`?");
  CHECK(hint("--workspce=/x", Json::object()) == "did you mean band's own `--workspace`?");
  CHECK(hint("--workspce=/x", schema) == "did you mean `--workspaces`, or band's own `--workspace`?");
  CHECK(hint("--dryrun", kSchema) == "taken");  // the script's dryRun
  CHECK(hint("--colour", schema) == "it has --path, --workspaces");
}

TEST_CASE("a violation names the flag that set the value, otherwise the pointer") {
  const std::vector<Violation> violations{{"/count", "minimum", "expected at least 1, got 0"},
                                          {"/author/name", "type", "expected string, got null"}};
  const Error error = input_invalid(violations, {{"count", "--count"}}, "a/b");
  CHECK(error.code == Code::InputInvalid);
  CHECK(error.message().find("--count: expected at least 1, got 0 (rule `minimum`)") != std::string::npos);
  CHECK(error.message().find("input/author/name: expected string") != std::string::npos);
  CHECK(error.hint.find("band run a/b --help") != std::string::npos);
}

TEST_CASE("dangling and cyclic references terminate") {
  const Json circle = parse_json(R"({"properties": {"a": {"$ref": "#/definitions/x"}, "b": {"$ref": "#/nowhere"}},
    "definitions": {"x": {"$ref": "#/definitions/y"}, "y": {"$ref": "#/definitions/x"}}, "allOf": [{"$ref": "#"}]})",
                                 "schema")
                          .value();
  const auto parameters = parameters_of(circle);
  REQUIRE(parameters.size() == 2);
  CHECK(parameters[0].types.empty());
}

TEST_CASE("names are shown in kebab-case") {
  CHECK(kebab_case("dryRun") == "dry-run");
  CHECK(kebab_case("HTTPPort") == "http-port");
  CHECK(kebab_case("snake_case") == "snake-case");
  CHECK(kebab_case("already-kebab") == "already-kebab");
  CHECK(kebab_case("v2Name") == "v2-name");
}

TEST_CASE("similar names are found, others are not") {
  const std::vector<std::string> known{"list", "status", "validate", "setup"};
  CHECK(nearest("lits", known) == std::vector<std::string>{"list"});
  CHECK(nearest("valid", known) == std::vector<std::string>{"validate"});
  CHECK(nearest("zzzz", known).empty());
  CHECK(nearest(std::string(100000, 'a'), known).empty());
}
