// A skill's schemas: no value and no accepted schema crashes, hangs or exhausts the checker.
#include "schemas/json_schema/input_schema.h"

#include <doctest/doctest.h>

#include <string>

#include "schemas/core/json.h"
#include "tests/pure/cpu_seconds.h"
#include "tests/pure/schemas/json_schema/input_schema_test.h"

namespace band {

using test::has, test::json, test::schema, test::problem_text;

TEST_CASE("recursion through the value works down to the maximum depth of JSON") {
  const InputSchema tree = schema(R"({"type":"object","required":["v"],"properties":{"v":{"type":"integer"},
      "kids":{"type":"array","items":{"$ref":"#"}}},"additionalProperties":false})");
  std::string deep = R"({"v":1})", wrong = R"({"v":"x"})";
  for (int i = 0; i < 127; ++i) {
    deep = R"({"v":1,"kids":[)" + deep + "]}";
    wrong = R"({"v":1,"kids":[)" + wrong + "]}";
  }
  CHECK(problem_text(tree, json(deep)) == "");
  const auto violations = tree.validate(json(wrong));
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].rule == "type");
  CHECK(violations[0].pointer.ends_with("/kids/0/v"));
  const InputSchema lists = schema(R"({"anyOf":[{"type":"integer"},{"type":"array","items":{"$ref":"#"}}]})");
  CHECK(problem_text(lists, json(std::string(256, '[') + "1" + std::string(256, ']'))) == "");
  CHECK(problem_text(lists, json(std::string(256, '[') + "null" + std::string(256, ']'))) != "");
}

TEST_CASE("long strings and hostile patterns neither overflow the stack nor hang") {
  const std::string many(64 << 10, 'a'), ten_megabytes(10 << 20, 'a');
  for (const std::string pattern :
       {"^(a+)+$", "^(a|aa)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(x+x+)+y", "^.*!$", "^(a?){50}a{50}$"}) {
    INFO(pattern);
    const InputSchema by = schema(R"({"pattern":")" + pattern + "\"}");
    const double seconds = test::cpu_seconds_of([&] {
      (void)by.validate(Json(many));
      CHECK_FALSE(by.validate(Json(many + "!\n")).empty());
    });
    CHECK(seconds < 5);
  }
  CHECK(problem_text(schema(R"({"pattern":"^(a+)+$"})"), Json(many)) == "");
  CHECK(problem_text(schema(R"({"pattern":"^a*$"})"), Json(ten_megabytes)) == "");
  for (const char* format : {"date", "time", "date-time", "email", "hostname", "ipv4", "ipv6", "uri", "uri-reference",
                             "uuid", "json-pointer", "regex"})
    (void)schema(R"({"format":")" + std::string(format) + "\"}").validate(Json(ten_megabytes));
  CHECK(problem_text(schema(R"({"patternProperties":{"^(a+)+$":{"type":"null"}}})"), Json{{many + "!", 1}}) == "");
}

TEST_CASE("a hostile value of 10 MB costs bounded time and memory") {
  struct Row {
    std::string what;
    std::string schema;
    std::string value;
    bool valid;
  };
  std::string zeros = "[0", objects = "[{}", keys = "{\"0\":0", long_keys, strings = "[\"0\"";
  for (int i = 1; i < 999'999; ++i) zeros += ",0";  // together with the array itself, the maximum number of values
  for (int i = 1; i < 300'000; ++i) objects += ",{}";
  for (int i = 1; i < 300'000; ++i) keys += ",\"" + std::to_string(i) + "\":0";
  for (int i = 1; i < 300'000; ++i) strings += ",\"" + std::to_string(i) + "\"";
  // valijson's own validator holds a copy of the path for each level: 1.3 GB here.
  for (int i = 0; i < 255; ++i) long_keys += "{\"" + std::string(40'000, 'k') + "\":";
  const Row rows[] = {
      {"a violation each", R"({"items":{"type":"string"}})", zeros + "]", false},
      {"alternatives each", R"({"items":{"anyOf":[{"type":"string"},{"type":"integer"}]}})", zeros + "]", true},
      {"alternatives of all", R"({"anyOf":[{"items":{"type":"string"}},{"items":{"type":"null"}}]})", zeros + "]",
       false},
      {"a large enum", R"({"items":{"enum":[1,2,3,4,5,6,7,8,9,10,0]}})", zeros + "]", true},
      {"all unique", R"({"uniqueItems":true})", strings + "]", true},
      {"required of each", R"({"items":{"required":["a","b","c"]}})", objects + "]", false},
      {"many keys",
       R"({"required":["x1","x2","x3"],"properties":{"a":{},"b":{}},"additionalProperties":{"type":"integer"}})",
       keys + "}", false},
      {"many names", R"({"propertyNames":{"pattern":"^[0-9]+$"},"dependencies":{"q":["r"]}})", keys + "}", true},
      {"no such keys", R"({"additionalProperties":false})", keys + "}", false},
      {"long nested keys", R"({"additionalProperties":{"$ref":"#"},"type":"object"})",
       long_keys + "0" + std::string(255, '}'), false},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    const InputSchema by = schema(row.schema);
    const Json value = json(row.value);
    std::vector<Violation> violations;
    const double seconds = test::cpu_seconds_of([&] { violations = by.validate(value); });
    CHECK(seconds < 20);
    CHECK(violations.empty() == row.valid);
    CHECK(violations.size() <= 50);
    for (const Violation& v : violations) CHECK(v.pointer.size() + v.message.size() < 4096);
  }
}

TEST_CASE("a check whose work multiplies with every level is stopped, and the value is not valid") {
  const InputSchema twice = schema(R"({"type":"object","properties":{"a":{"oneOf":[
      {"allOf":[{"$ref":"#"},{"required":["x"]}]},{"allOf":[{"$ref":"#"},{"required":["y"]}]}]}}})");
  std::string deep = "{}";
  for (int i = 0; i < 60; ++i) deep = R"({"a":)" + deep + "}";
  std::vector<Violation> violations;
  CHECK(test::cpu_seconds_of([&] { violations = twice.validate(json(deep)); }) < 30);
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].rule == "limit");
}

TEST_CASE("a schema and a value of the maximum depths do not overflow the stack") {
  std::string inner = R"({"type":["array","integer"],"items":{"$ref":"#"}})";
  for (int i = 0; i < 29; ++i) inner = R"({"allOf":[)" + inner + "]}";
  const InputSchema deep = schema(inner);
  const auto violations = deep.validate(json(std::string(256, '[') + "1" + std::string(256, ']')));
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].rule == "limit");
  CHECK(problem_text(deep, json("[[1]]")) == "");
}

TEST_CASE("violations have no unescaped control characters") {
  const std::string text = problem_text(schema(R"({"additionalProperties":{"type":"null"}})"),
                                        json(R"({"\u001b[2J\n":"\u001b]0;x\u0007"})"));
  for (const char c : text) CHECK(static_cast<unsigned char>(c) >= 0x20);
  CHECK(has(text, "/\\u001b[2J\\n type expected null"));
}

}  // namespace band
