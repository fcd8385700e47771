// A skill's schemas: the violations that they report, and defaults.
#include "schemas/json_schema/input_schema.h"

#include <doctest/doctest.h>

#include <string>

#include "schemas/core/json.h"
#include "tests/pure/schemas/json_schema/input_schema_test.h"

namespace band {

using test::has, test::json, test::schema, test::problem_text;

TEST_CASE("every keyword of draft-07 is checked, and its violation names pointer, rule, expected and actual value") {
  struct Row {
    std::string schema;
    const char* valid;
    const char* invalid;
    const char* problem_text;
  };
  const Row rows[] = {
      {R"({"type":"integer"})", "3", "\"abc\"", R"( type expected integer, got string "abc")"},
      {R"({"type":"integer"})", "3.0", "3.5", " type expected integer, got number 3.5"},
      {R"({"type":"number"})", "3", "true", " type expected number, got boolean true"},
      {R"({"type":["null","string"]})", "null", "[1]", " type expected null or string, got array of 1 item"},
      {R"({"const":{"a":1}})", R"({"a":1.0})", "{}", R"( const expected {"a":1}, got object with 0 members)"},
      {R"({"const":null})", "null", "false", " const expected null, got boolean false"},
      {R"({"enum":["a",2,null]})", "2.0", "\"b\"", R"( enum expected one of ["a",2,null], got string "b")"},
      {R"({"minimum":3})", "3", "2", " minimum expected at least 3, got integer 2"},
      {R"({"maximum":3.5})", "3.5", "4", " maximum expected at most 3.5, got integer 4"},
      {R"({"exclusiveMinimum":3})", "3.1", "3", " exclusiveMinimum expected more than 3, got integer 3"},
      {R"({"exclusiveMaximum":3})", "2", "3", " exclusiveMaximum expected less than 3, got integer 3"},
      {R"({"multipleOf":0.01})", "19.99", "19.999", " multipleOf expected a multiple of 0.01, got number 19.999"},
      {R"({"minLength":2})", "\"\xC3\xA4\xC3\xB6\"", "\"\xC3\xA4\"",
       " minLength expected at least 2 characters, got 1: string \"\xC3\xA4\""},
      {R"({"maxLength":2.0})", "\"ab\"", "\"abc\"", R"( maxLength expected at most 2 characters, got 3: string "abc")"},
      {R"({"pattern":"^a+$"})", "\"aa\"", "\"ab\"", R"( pattern expected a string that matches ^a+$, got string "ab")"},
      {R"({"pattern":"b"})", "\"abc\"", "\"ac\"", R"( pattern expected a string that matches b, got string "ac")"},
      {R"({"pattern":"^\\u00e4\\ud83d\\ude00$"})", "\"\xC3\xA4\xF0\x9F\x98\x80\"", "\"a\"",
       R"( pattern expected a string that matches ^\u00e4\ud83d\ude00$, got string "a")"},
      {R"({"format":"date-time"})", "\"2024-02-29T23:59:60.5Z\"", "\"2023-02-29T00:00:00Z\"",
       R"( format expected date-time, got string "2023-02-29T00:00:00Z")"},
      {R"({"format":"no-such-format"})", "\"x\"", nullptr, nullptr},
      {R"({"items":{"type":"string"}})", R"(["a"])", R"(["a",1])", "/1 type expected string, got integer 1"},
      {R"({"items":[{"type":"string"}],"additionalItems":{"type":"null"}})", R"(["a",null])", R"([1,2])",
       "/0 type expected string, got integer 1; /1 type expected null, got integer 2"},
      {R"({"items":[true],"additionalItems":false})", "[1]", "[1,2]",
       "/1 additionalItems unexpected item: the array can have at most 1"},
      {R"({"minItems":1})", "[1]", "[]", " minItems expected at least 1 items, got 0"},
      {R"({"maxItems":1})", "[1]", "[1,2]", " maxItems expected at most 1 items, got 2"},
      {R"({"uniqueItems":true})", R"([1,"1",true,[1],{"a":1}])", R"([{"a":1,"b":2},0,{"b":2.0,"a":1}])",
       " uniqueItems items 0 and 2 are equal: object with 2 members"},
      {R"({"contains":{"const":1}})", "[0,1]", "[0]",
       " contains no item matches the schema of `contains`, got array of 1 item"},
      {R"({"required":["a","b"]})", R"({"a":1,"b":2})", "{}",
       R"( required missing property "a"; /  required missing property "b")"},
      {R"({"properties":{"a":{"type":"string"}}})", R"({"b":1})", R"({"a":1})",
       "/a type expected string, got integer 1"},
      {R"({"properties":{"name":true},"additionalProperties":false})", R"({"name":1})", R"({"nmae":1})",
       R"(/nmae additionalProperties there is no property "nmae"; did you mean "name"?)"},
      {R"({"additionalProperties":{"type":"null"}})", R"({"a":null})", R"({"a":1})",
       "/a type expected null, got integer 1"},
      {R"({"patternProperties":{"^x-":{"type":"null"}},"additionalProperties":false})", R"({"x-a":null})",
       R"({"x-a":1})", "/x-a type expected null, got integer 1"},
      {R"({"minProperties":1})", R"({"a":1})", "{}", " minProperties expected at least 1 properties, got 0"},
      {R"({"maxProperties":1})", R"({"a":1})", R"({"a":1,"b":1})",
       " maxProperties expected at most 1 properties, got 2"},
      {R"({"propertyNames":{"pattern":"^[a-z]+$"}})", R"({"a":1})", R"({"A":1})",
       R"(/A propertyNames the name "A" is not allowed)"},
      {R"({"dependencies":{"a":["b"]}})", R"({"a":1,"b":1})", R"({"a":1})",
       R"( dependencies missing property "b", which the property "a" requires)"},
      {R"({"dependencies":{"a":{"required":["c"]},"b":{"required":["d"]}}})", R"({"b":1,"d":1})", R"({"b":1,"c":1})",
       R"( required missing property "d")"},
      {R"({"allOf":[{"minimum":1},{"maximum":2}]})", "2", "3", " maximum expected at most 2, got integer 3"},
      {R"({"anyOf":[{"type":"null"},{"type":"object","properties":{"a":{"minimum":1}}}]})", R"({"a":1})", R"({"a":0})",
       " anyOf matches none of the 2 alternatives; the nearest fails at /a: expected at least 1, got integer 0"},
      {R"({"oneOf":[{"minimum":1},{"maximum":5}]})", "0", "3",
       " oneOf matches alternatives 1 and 2, but must match exactly one; got integer 3"},
      {R"({"oneOf":[{"type":"null"},{"type":"string"}]})", "null", "3",
       " oneOf matches none of the 2 alternatives: expected null, got integer 3"},
      {R"({"not":{"type":"null"}})", "1", "null", " not matches the schema of `not`, got null"},
      {R"({"if":{"minimum":10},"then":{"multipleOf":10},"else":{"multipleOf":1}})", "20", "15",
       " multipleOf expected a multiple of 10, got integer 15"},
      {R"({"properties":{"a":false}})", "{}", R"({"a":1})", "/a false nothing is allowed here, got integer 1"},
      {"true", "1", nullptr, nullptr},
      {R"({"properties":{"a/b":{"properties":{"~":{"type":"null"}}}}})", "{}", R"({"a/b":{"~":1}})",
       "/a~1b/~0 type expected null, got integer 1"},
  };
  for (const Row& row : rows) {
    INFO(row.schema);
    CHECK(problem_text(row.schema, row.valid) == "");
    if (row.invalid == nullptr) continue;
    std::string expected = row.problem_text;
    if (const auto odd = expected.find("; /  "); odd != std::string::npos) expected.replace(odd, 4, "; ");
    CHECK(problem_text(row.schema, row.invalid) == expected);
  }
}

TEST_CASE("schemas are never confused") {
  // The cache of valijson 1.0 confused each of these: its key is an unescaped path.
  CHECK(problem_text(R"({"properties":{"a":{"type":"object","propertyNames":{"maxLength":1}}}})",
                     R"({"a":{"bb":1}})") == R"(/a/bb propertyNames the name "bb" is not allowed)");
  CHECK(problem_text(R"({"properties":{"a":{"properties":{"b":{"type":"null"}}},"a/properties/b":{"type":"string"}}})",
                     R"({"a":{"b":null},"a/properties/b":"x"})") == "");
  CHECK(problem_text(R"({"id":"http://example.com/","properties":{"id":{"type":"string"}}})", R"({"id":1})") ==
        "/id type expected string, got integer 1");
}

TEST_CASE("keywords are read only in schemas") {
  const char* text = R"({
    "enum": [{"$ref": "#/nowhere", "pattern": "("}, {"const": 2}],
    "default": {"const": 2},
    "examples": [{"$ref": "nowhere.json"}]
  })";
  CHECK(problem_text(text, R"({"const":2})") == "");
  CHECK(problem_text(text, R"({"pattern":"(","$ref":"#/nowhere"})") == "");
  const char* names =
      R"({"properties": {"$ref": {"type": "string"}, "minimum": {"type": "string"}, "const": {"const": 1}}})";
  CHECK(problem_text(names, R"({"$ref":"x","minimum":"y","const":1})") == "");
  CHECK(problem_text(names, R"({"const":2})") == "/const const expected 1, got integer 2");
}

TEST_CASE("9007199254740993 stays exact under every numeric rule") {
  struct Row {
    std::string schema;
    const char* valid;
    const char* invalid;
  };
  const Row rows[] = {
      {R"({"const":9007199254740993})", "9007199254740993", "9007199254740992"},
      {R"({"enum":[9007199254740993]})", "9007199254740993", "9007199254740992"},
      {R"({"minimum":9007199254740993})", "9007199254740993", "9007199254740992"},
      {R"({"maximum":9007199254740992})", "9007199254740992", "9007199254740993"},
      {R"({"exclusiveMinimum":9007199254740992})", "9007199254740993", "9007199254740992"},
      {R"({"exclusiveMaximum":9007199254740993})", "9007199254740992", "9007199254740993"},
      {R"({"multipleOf":2})", "9007199254740992", "9007199254740993"},
      {R"({"uniqueItems":true})", "[9007199254740993,9007199254740992]", "[9007199254740993,9007199254740993]"},
      {R"({"maximum":18446744073709551614})", "18446744073709551614", "18446744073709551615"},
      {R"({"minimum":9007199254740992.0})", "9007199254740993", "9007199254740991"},
  };
  for (const Row& row : rows) {
    INFO(row.schema);
    CHECK(problem_text(row.schema, row.valid) == "");
    CHECK(problem_text(row.schema, row.invalid) != "");
  }
  CHECK(problem_text(rows[0].schema, rows[0].invalid) ==
        " const expected 9007199254740993, got integer 9007199254740992");
}

TEST_CASE("formats") {
  struct Row {
    const char* format;
    std::vector<std::string> valid, invalid;
  };
  const Row rows[] = {
      {"date",
       {"2024-02-29", "1900-12-31"},
       {"2023-02-29", "1900-02-29", "2024-13-01", "2024-00-01", "2024-1-1", "", "2024-01-32"}},
      {"time",
       {"00:00:00Z", "23:59:60.123+02:00", "01:02:03z"},
       {"24:00:00Z", "00:00:00", "00:60:00Z", "00:00:00.Z", "00:00:00+2:00", ""}},
      {"date-time",
       {"2024-01-01T00:00:00Z", "2024-01-01t00:00:00-23:59"},
       {"2024-01-01 00:00:00Z", "2024-01-01", "T00:00:00Z"}},
      {"email",
       {"a@b", "a.b+c@example.com", "a@[127.0.0.1]"},
       {"a", "@b", "a@", "a..b@c", ".a@b", "a@b@c", "a b@c", "a@-b"}},
      {"hostname", {"a", "a-b.c1"}, {"", "-a", "a-", "a..b", "a_b", ".", std::string(64, 'a'), std::string(254, 'a')}},
      {"ipv4", {"127.0.0.1"}, {"127.0.0", "127.0.0.256", "127.0.0.1 ", "1", ""}},
      {"ipv6", {"::1", "fe80::1", "::ffff:1.2.3.4"}, {"::1::", "1.2.3.4", "12345::", "fe80::1%eth0", ""}},
      {"uuid",
       {"123e4567-e89b-12d3-a456-426614174000"},
       {"123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g"}},
      {"uri",
       {"http://a/b?c#d", "urn:x:y", "mailto:a@b"},
       {"/a", "a", "http://a b", "http://a/%2", "1a:b", ":a", "http://a#b#c"}},
      {"uri-reference", {"/a", "a", "", "#x", "http://a", "a/b:c"}, {"a b", "\\", "1:2", "<"}},
      {"json-pointer", {"", "/a~0b~1/0"}, {"a", "/~", "/~2"}},
      {"regex", {"^a+$"}, {"(", "a{2,1}"}},
  };
  for (const Row& row : rows) {
    const InputSchema by = schema(R"({"format":")" + std::string(row.format) + "\"}");
    CHECK(by.validate(Json(5)).empty());  // formats apply only to strings
    for (const std::string& text : row.valid) CHECK_MESSAGE(by.validate(Json(text)).empty(), row.format << " " << text);
    for (const std::string& text : row.invalid)
      CHECK_MESSAGE(!by.validate(Json(text)).empty(), row.format << " " << text);
  }
}

TEST_CASE("defaults are added at every depth that is reached without alternatives") {
  struct Row {
    std::string schema;
    const char* before;
    const char* after;
  };
  const Row rows[] = {
      {R"({"properties":{"a":{"default":1},"b":{}}})", "{}", R"({"a":1})"},
      {R"({"properties":{"a":{"default":1}}})", R"({"a":null,"z":0})", R"({"a":null,"z":0})"},
      {R"({"properties":{"a":{"default":{},"properties":{"b":{"default":[]}}}}})", "{}", R"({"a":{"b":[]}})"},
      {R"({"properties":{"a":{"properties":{"b":{"default":1}}}}})", "{}", "{}"},
      {R"({"properties":{"a":{"properties":{"b":{"default":1}}}}})", R"({"a":{}})", R"({"a":{"b":1}})"},
      {R"({"items":{"properties":{"a":{"default":1}}}})", "[{},{\"a\":2},3]", R"([{"a":1},{"a":2},3])"},
      {R"({"items":[{"properties":{"a":{"default":1}}}],"additionalItems":{"properties":{"b":{"default":2}}}})",
       "[{},{}]", R"([{"a":1},{"b":2}])"},
      {R"({"additionalProperties":{"properties":{"a":{"default":1}}}})", R"({"x":{}})", R"({"x":{"a":1}})"},
      {R"({"patternProperties":{"^x":{"properties":{"a":{"default":1}}}},"additionalProperties":{"properties":{"b":{"default":1}}}})",
       R"({"x":{},"y":{}})", R"({"x":{"a":1},"y":{"b":1}})"},
      {R"({"allOf":[{"properties":{"a":{"default":1}}},{"$ref":"#/definitions/d"}],"definitions":{"d":{"properties":{"b":{"default":2}}}}})",
       "{}", R"({"a":1,"b":2})"},
      {R"({"properties":{"a":{"$ref":"#/definitions/d"},"b":{"$ref":"#/definitions/d","default":9}},"definitions":{"d":{"default":5}}})",
       "{}", R"({"a":5,"b":9})"},
      {R"({"anyOf":[{"properties":{"a":{"default":1}}}],"if":true,"then":{"properties":{"b":{"default":1}}}})", "{}",
       "{}"},
      {R"({"properties":{"kid":{"$ref":"#"},"v":{"default":0}}})", R"({"kid":{"kid":{}}})",
       R"({"kid":{"kid":{"v":0},"v":0},"v":0})"},
      {R"({"properties":{"n":{"default":9007199254740993}}})", "{}", R"({"n":9007199254740993})"},
      {R"({"properties":{"a":{"default":1}}})", "[]", "[]"},
      {R"({"default":{"a":1}})", "{}", "{}"},
  };
  for (const Row& row : rows) {
    INFO(row.schema);
    Json value = json(row.before);
    schema(row.schema).apply_defaults(value);
    CHECK(dump_json(value) == row.after);
  }
}

}  // namespace band
