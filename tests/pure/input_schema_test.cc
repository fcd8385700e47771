// A skill's schemas: what is taken, what is refused, what a value is told, and that no value hurts the checker.
#include "schemas/input_schema.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

namespace band {
namespace {

namespace fs = std::filesystem;

Json json(std::string_view text) {
  auto value = parse_json(text, "test");
  REQUIRE_MESSAGE(value.ok(), text << ": " << value.error().message());
  return *value;
}

InputSchema schema(std::string_view text) {
  auto made = InputSchema::from_json(json(text), "test.json");
  REQUIRE_MESSAGE(made.ok(), made.error().message());
  return *made;
}

// Violations as one text: "/a type expected ...; ..."
std::string told(const InputSchema& by, const Json& value) {
  std::string text;
  for (const Violation& v : by.validate(value))
    text += (text.empty() ? "" : "; ") + v.pointer + " " + v.rule + " " + v.message;
  return text;
}

std::string told(std::string_view by, std::string_view value) { return told(schema(by), json(value)); }

// A directory of schema files, gone at the end.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "band-schema-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
    fs::create_directories(root());
  }
  ~Folder() { fs::remove_all(path_); }
  fs::path root() const { return path_ / "schemas"; }
  fs::path outside() const { return path_; }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((root() / name).parent_path());
    std::ofstream(root() / name) << text;
  }
  Result<InputSchema> load(const std::string& name) const { return InputSchema::load(root() / name, root()); }
  std::string refusal(const std::string& name) const {
    const auto made = load(name);
    REQUIRE_FALSE(made.ok());
    CHECK(made.error().code == Code::SkillInvalid);
    return made.error().message() + " | " + made.error().hint;
  }

 private:
  fs::path path_;
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// Processor time, so that a busy machine does not matter; a tenth of it under the sanitizers, which cost as much.
double seconds_of(const auto& act) {
  const std::clock_t start = std::clock();
  act();
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
#ifdef __SANITIZE_ADDRESS__
  return seconds / 10;
#else
  return seconds;
#endif
}

}  // namespace

TEST_CASE(
    "every keyword of draft-07 holds, and its violation names pointer, rule, what was expected and what was found") {
  struct Row {
    std::string schema;
    const char* valid;
    const char* invalid;
    const char* told;
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
       "/1 additionalItems unexpected item, there may be 1"},
      {R"({"minItems":1})", "[1]", "[]", " minItems expected at least 1 items, got 0"},
      {R"({"maxItems":1})", "[1]", "[1,2]", " maxItems expected at most 1 items, got 2"},
      {R"({"uniqueItems":true})", R"([1,"1",true,[1],{"a":1}])", R"([{"a":1,"b":2},0,{"b":2.0,"a":1}])",
       " uniqueItems items 0 and 2 are equal: object with 2 members"},
      {R"({"contains":{"const":1}})", "[0,1]", "[0]",
       " contains no item is as it must contain one, got array of 1 item"},
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
       R"( dependencies missing property "b", which "a" needs)"},
      {R"({"dependencies":{"a":{"required":["c"]},"b":{"required":["d"]}}})", R"({"b":1,"d":1})", R"({"b":1,"c":1})",
       R"( required missing property "d")"},
      {R"({"allOf":[{"minimum":1},{"maximum":2}]})", "2", "3", " maximum expected at most 2, got integer 3"},
      {R"({"anyOf":[{"type":"null"},{"type":"object","properties":{"a":{"minimum":1}}}]})", R"({"a":1})", R"({"a":0})",
       " anyOf matches none of the 2 alternatives; the nearest fails at /a: expected at least 1, got integer 0"},
      {R"({"oneOf":[{"minimum":1},{"maximum":5}]})", "0", "3",
       " oneOf matches alternatives 1 and 2, and may match one only; got integer 3"},
      {R"({"oneOf":[{"type":"null"},{"type":"string"}]})", "null", "3",
       " oneOf matches none of the 2 alternatives: expected null, got integer 3"},
      {R"({"not":{"type":"null"}})", "1", "null", " not matches what it must not, got null"},
      {R"({"if":{"minimum":10},"then":{"multipleOf":10},"else":{"multipleOf":1}})", "20", "15",
       " multipleOf expected a multiple of 10, got integer 15"},
      {R"({"properties":{"a":false}})", "{}", R"({"a":1})", "/a false nothing is allowed here, got integer 1"},
      {"true", "1", nullptr, nullptr},
      {R"({"properties":{"a/b":{"properties":{"~":{"type":"null"}}}}})", "{}", R"({"a/b":{"~":1}})",
       "/a~1b/~0 type expected null, got integer 1"},
  };
  for (const Row& row : rows) {
    INFO(row.schema);
    CHECK(told(row.schema, row.valid) == "");
    if (row.invalid == nullptr) continue;
    std::string expected = row.told;
    if (const auto odd = expected.find("; /  "); odd != std::string::npos) expected.replace(odd, 4, "; ");
    CHECK(told(row.schema, row.invalid) == expected);
  }
}

TEST_CASE("one schema is never taken for another") {
  // valijson 1.0's cache did, for each of these: its key is an unescaped path.
  CHECK(told(R"({"properties":{"a":{"type":"object","propertyNames":{"maxLength":1}}}})", R"({"a":{"bb":1}})") ==
        R"(/a/bb propertyNames the name "bb" is not allowed)");
  CHECK(told(R"({"properties":{"a":{"properties":{"b":{"type":"null"}}},"a/properties/b":{"type":"string"}}})",
             R"({"a":{"b":null},"a/properties/b":"x"})") == "");
  CHECK(told(R"({"id":"http://example.com/","properties":{"id":{"type":"string"}}})", R"({"id":1})") ==
        "/id type expected string, got integer 1");
}

TEST_CASE("keywords are read where schemas are, and nowhere else") {
  const char* text = R"({
    "enum": [{"$ref": "#/nowhere", "pattern": "("}, {"const": 2}],
    "default": {"const": 2},
    "examples": [{"$ref": "nowhere.json"}]
  })";
  CHECK(told(text, R"({"const":2})") == "");
  CHECK(told(text, R"({"pattern":"(","$ref":"#/nowhere"})") == "");
  const char* names =
      R"({"properties": {"$ref": {"type": "string"}, "minimum": {"type": "string"}, "const": {"const": 1}}})";
  CHECK(told(names, R"({"$ref":"x","minimum":"y","const":1})") == "");
  CHECK(told(names, R"({"const":2})") == "/const const expected 1, got integer 2");
}

TEST_CASE("9007199254740993 stays itself under every numeric rule") {
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
    CHECK(told(row.schema, row.valid) == "");
    CHECK(told(row.schema, row.invalid) != "");
  }
  CHECK(told(rows[0].schema, rows[0].invalid) == " const expected 9007199254740993, got integer 9007199254740992");
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
    CHECK(by.validate(Json(5)).empty());  // formats are about strings
    for (const std::string& text : row.valid) CHECK_MESSAGE(by.validate(Json(text)).empty(), row.format << " " << text);
    for (const std::string& text : row.invalid)
      CHECK_MESSAGE(!by.validate(Json(text)).empty(), row.format << " " << text);
  }
}

TEST_CASE("what is not draft-07, or promises more than is checked, is refused with a mend") {
  struct Row {
    std::string schema;
    const char* message;
  };
  const Row rows[] = {
      {"1", "expected a schema, got integer 1"},
      {R"({"type":"strin"})", "test.json#/type: expected a type's name, got string \"strin\""},
      {R"({"type":"any"})", "expected a type's name"},
      {R"({"type":[]})", "allows nothing"},
      {R"({"properties":[]})", "test.json#/properties: expected an object"},
      {R"({"properties":{"a":{"minLength":-1}}})", "test.json#/properties/a/minLength: expected a whole number"},
      {R"({"minLength":1.5})", "expected a whole number from 0, got number 1.5"},
      {R"({"required":true})", "expected an array of property names"},
      {R"({"required":["a","a"]})", "stands there twice"},
      {R"({"required":["a\u0000b"]})", "NUL"},
      {R"({"properties":{"a\u0000b":{"type":"string"}}})", "NUL"},
      {R"({"pattern":"a\u0000"})", "NUL"},
      {R"({"enum":[]})", "at least one value"},
      {R"({"multipleOf":0})", "a number above 0"},
      {R"({"exclusiveMinimum":true})", "expected a number, got boolean true"},
      {R"({"allOf":[]})", "at least one schema"},
      {R"({"allOf":{}})", "at least one schema"},
      {R"({"items":5})", "expected a schema or an array of schemas"},
      {R"({"not":5})", "test.json#/not: expected a schema"},
      {R"({"dependencies":{"a":5}})", "test.json#/dependencies/a: expected a schema"},
      {R"({"uniqueItems":1})", "expected true or false"},
      {R"({"pattern":"("})", "pattern"},
      {R"({"pattern":"(?=a)b"})", "pattern"},
      {R"({"pattern":"(a)\\1"})", "pattern"},
      {R"({"patternProperties":{"(":{}}})", "pattern"},
      {R"({"pattern":"((a{1000}){1000}){1000}"})", "pattern"},
      {R"({"prefixItems":[]})", "`prefixItems` is no keyword of draft-07"},
      {R"({"properties":{"a":{"unevaluatedProperties":false}}})", "test.json#/properties/a: `unevaluatedProperties`"},
      {R"({"$schema":"https://json-schema.org/draft/2020-12/schema"})", "expected draft-07"},
      {R"({"properties":{"a":{"$id":"x"}}})", "`$id` may stand at the top of a file only"},
      {R"({"$ref":"#/definitions/a","minimum":1,"definitions":{"a":{}}})", "draft-07 ignores `minimum` beside `$ref`"},
      {R"({"$ref":5})", "expected a string"},
      {R"({"$ref":"#/definitions/a"})", "leads nowhere"},
      {R"({"$ref":"#a"})", "has no JSON pointer"},
      {R"({"$ref":"#/a","a":5})", "leads to integer 5"},
      {R"({"$ref":"https://example.com/a.json"})", "nothing is fetched"},
      {R"({"$ref":"%zz"})", "stray '%'"},
      {R"({"$ref":"other.json"})", "may not refer to files"},
      {R"({"properties":{"a":{"type":"integer","default":"x"}}})", "not what its own schema allows"},
      {R"({"properties":{"a":{"$ref":"#","default":{}}}})", "without end"},
  };
  for (const Row& row : rows) {
    INFO(row.schema);
    const auto made = InputSchema::from_json(json(row.schema), "test.json");
    REQUIRE_FALSE(made.ok());
    CAPTURE(made.error().message());
    CHECK(made.error().code == Code::SkillInvalid);
    CHECK(has(made.error().message(), row.message));
  }
}

TEST_CASE("references that come back without going into the value are refused, and the circle is named") {
  struct Row {
    std::string schema;
    const char* circle;
  };
  const Row rows[] = {
      {R"({"$ref":"#"})", "test.json# -> test.json#"},
      {R"({"properties":{"x":{"$ref":"#/definitions/a"}},"definitions":{"a":{"$ref":"#/definitions/b"},"b":{"$ref":"#/definitions/a"}}})",
       "test.json#/definitions/a -> test.json#/definitions/b -> test.json#/definitions/a"},
      {R"({"definitions":{"a":{"allOf":[{"$ref":"#/definitions/a"}]}}})",
       "test.json#/definitions/a -> test.json#/definitions/a"},
      {R"({"anyOf":[{"type":"null"},{"$ref":"#"}]})", "test.json# -> test.json#"},
      {R"({"not":{"$ref":"#"}})", "test.json# -> test.json#"},
      {R"({"if":{"$ref":"#"}})", "test.json# -> test.json#"},
      {R"({"dependencies":{"a":{"$ref":"#"}}})", "test.json# -> test.json#"},
  };
  for (const Row& row : rows) {
    INFO(row.schema);
    const auto made = InputSchema::from_json(json(row.schema), "test.json");
    REQUIRE_FALSE(made.ok());
    CAPTURE(made.error().message());
    CHECK(made.error().code == Code::SkillInvalid);
    CHECK(has(made.error().message(), "references lead in a circle"));
    CHECK(has(made.error().message(), row.circle));
  }
}

TEST_CASE("recursion through the value works as deep as JSON goes") {
  const InputSchema tree = schema(R"({"type":"object","required":["v"],"properties":{"v":{"type":"integer"},
      "kids":{"type":"array","items":{"$ref":"#"}}},"additionalProperties":false})");
  std::string deep = R"({"v":1})", wrong = R"({"v":"x"})";
  for (int i = 0; i < 127; ++i) {
    deep = R"({"v":1,"kids":[)" + deep + "]}";
    wrong = R"({"v":1,"kids":[)" + wrong + "]}";
  }
  CHECK(told(tree, json(deep)) == "");
  const auto violations = tree.validate(json(wrong));
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].rule == "type");
  CHECK(violations[0].pointer.ends_with("/kids/0/v"));
  const InputSchema lists = schema(R"({"anyOf":[{"type":"integer"},{"type":"array","items":{"$ref":"#"}}]})");
  CHECK(told(lists, json(std::string(256, '[') + "1" + std::string(256, ']'))) == "");
  CHECK(told(lists, json(std::string(256, '[') + "null" + std::string(256, ']'))) != "");
}

TEST_CASE("references lead to files beneath the skill's schemas, and the bundle is one schema") {
  const Folder folder;
  folder.write("defs/common.json", R"({"definitions":{
      "name":{"type":"string","minLength":1},
      "person":{"type":"object","properties":{"name":{"$ref":"#/definitions/name"},"home":{"$ref":"geo/address.json"},
                "friend":{"$ref":"#/definitions/person"}}}}})");
  folder.write("defs/geo/address.json", R"({"type":"object","required":["zip"],
      "properties":{"zip":{"$ref":"../zip%20code.json#/definitions/de"},"owner":{"$ref":"../common.json#/definitions/person"}}})");
  folder.write("defs/zip code.json", R"({"definitions":{"de":{"type":"string","pattern":"^[0-9]{5}$"}}})");
  folder.write("input/greet.json",
               R"({"$schema":"http://json-schema.org/draft-07/schema#","$id":"http://example.com/greet",
      "type":"object","properties":{"who":{"$ref":"../defs/common.json#/definitions/person"},
      "again":{"$ref":"#/properties/who"},"n":{"$ref":"#/definitions/n"}},"definitions":{"n":{"type":"integer"}}})");
  const auto greet = folder.load("input/greet.json");
  REQUIRE_MESSAGE(greet.ok(), greet.error().message());
  CHECK(told(*greet, json(R"({"who":{"name":"A","home":{"zip":"12345","owner":{"name":"B"}}},"n":1})")) == "");
  CHECK(
      told(*greet, json(R"({"who":{"home":{"zip":"1","owner":{"friend":{"name":""}}}},"again":{"name":5},"n":"x"})")) ==
      "/who/home/zip pattern expected a string that matches ^[0-9]{5}$, got string \"1\"; "
      "/who/home/owner/friend/name minLength expected at least 1 characters, got 0: string \"\"; "
      "/again/name type expected string, got integer 5; /n type expected integer, got string \"x\"");
  const std::string bundled = dump_json(greet->bundled());
  CHECK_FALSE(has(bundled, ".json#"));
  CHECK_FALSE(has(bundled, "../"));
  // The bundle stands on its own.
  const auto again = InputSchema::from_json(greet->bundled(), "bundle");
  REQUIRE_MESSAGE(again.ok(), again.error().message());
  CHECK(told(*again, json(R"({"who":{"home":{}}})")) == "/who/home required missing property \"zip\"");
}

TEST_CASE("no reference, link, FIFO or size leads a schema out of its directory or past its limits") {
  const Folder folder;
  std::ofstream(folder.outside() / "secret.json") << R"({"const":"secret"})";
  folder.write("defs/ok.json", "true");
  fs::create_symlink(folder.root() / "defs/ok.json", folder.root() / "inside.json");
  fs::create_symlink(folder.outside() / "secret.json", folder.root() / "link.json");
  fs::create_directory_symlink(folder.outside(), folder.root() / "up");
  REQUIRE(::mkfifo((folder.root() / "fifo.json").c_str(), 0600) == 0);
  folder.write("large.json", "\"" + std::string(1 << 20, 'x') + "\"");
  folder.write("text.json", "{\n  \"a\": ?\n}");
  const auto refers = [&](const std::string& reference) {
    folder.write("input/x.json", R"({"properties":{"a":{"$ref":")" + reference + "\"}}}");
    return folder.refusal("input/x.json");
  };
  CHECK(has(refers("../../secret.json"), "leads out of"));
  CHECK(has(refers("../link.json"), "leads out of"));
  CHECK(has(refers("../up/secret.json"), "leads out of"));
  CHECK(has(refers("%2e%2e/%2e%2e/secret.json"), "leads out of"));
  CHECK(has(refers("/etc/passwd"), "absolute path"));
  CHECK(has(refers("../fifo.json"), "not a regular file"));
  CHECK(has(refers("../defs"), "not a regular file"));
  CHECK(has(refers("../large.json"), "over 1048576 bytes"));
  CHECK(has(refers("../text.json"), "text.json, line 2, column 8"));
  CHECK(has(refers("../none.json"), "No such file"));
  CHECK(has(refers("../none.json"), "input/x.json#/properties/a/$ref"));
  folder.write("input/x.json", R"({"$ref":"../inside.json"})");
  CHECK(folder.load("input/x.json").ok());
  CHECK_FALSE(InputSchema::load(folder.outside() / "secret.json", folder.root()).ok());
  for (int i = 0; i < 70; ++i)
    folder.write("chain/" + std::to_string(i) + ".json",
                 R"({"properties":{"next":{"$ref":")" + std::to_string(i + 1) + ".json\"}}}");
  folder.write("chain/70.json", "true");
  CHECK(has(folder.refusal("chain/0.json"), "64 make a schema at most"));
  CHECK(folder.load("chain/20.json").ok());
}

TEST_CASE("a circle across files is named by file and pointer") {
  const Folder folder;
  folder.write("defs/a.json", R"({"definitions":{"x":{"$ref":"b.json#/definitions/y"}}})");
  folder.write("defs/b.json", R"({"definitions":{"y":{"oneOf":[{"$ref":"a.json#/definitions/x"}]}}})");
  folder.write("input/i.json", R"({"properties":{"p":{"$ref":"../defs/a.json#/definitions/x"}}})");
  CHECK(has(folder.refusal("input/i.json"),
            "defs/a.json#/definitions/x -> defs/b.json#/definitions/y -> defs/a.json#/definitions/x"));
  folder.write("defs/b.json", R"({"definitions":{"y":{"type":"array","items":{"$ref":"a.json#/definitions/x"}}}})");
  const auto made = folder.load("input/i.json");
  REQUIRE_MESSAGE(made.ok(), made.error().message());
  CHECK(told(*made, json(R"({"p":[[[]]]})")) == "");
  CHECK(told(*made, json(R"({"p":[[1]]})")) == "/p/0/0 type expected array, got integer 1");
}

TEST_CASE("defaults are filled at every depth that is reached without a choice") {
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

TEST_CASE("long strings and hostile patterns neither overflow the stack nor hang") {
  const std::string many(64 << 10, 'a'), ten_megabytes(10 << 20, 'a');
  for (const std::string pattern :
       {"^(a+)+$", "^(a|aa)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(x+x+)+y", "^.*!$", "^(a?){50}a{50}$"}) {
    INFO(pattern);
    const InputSchema by = schema(R"({"pattern":")" + pattern + "\"}");
    const double seconds = seconds_of([&] {
      (void)by.validate(Json(many));
      CHECK_FALSE(by.validate(Json(many + "!\n")).empty());
    });
    CHECK(seconds < 5);
  }
  CHECK(told(schema(R"({"pattern":"^(a+)+$"})"), Json(many)) == "");
  CHECK(told(schema(R"({"pattern":"^a*$"})"), Json(ten_megabytes)) == "");
  for (const char* format : {"date", "time", "date-time", "email", "hostname", "ipv4", "ipv6", "uri", "uri-reference",
                             "uuid", "json-pointer", "regex"})
    (void)schema(R"({"format":")" + std::string(format) + "\"}").validate(Json(ten_megabytes));
  CHECK(told(schema(R"({"patternProperties":{"^(a+)+$":{"type":"null"}}})"), Json{{many + "!", 1}}) == "");
}

TEST_CASE("a hostile value of 10 MB costs bounded time and memory") {
  struct Row {
    std::string what;
    std::string schema;
    std::string value;
    bool valid;
  };
  std::string zeros = "[0", objects = "[{}", keys = "{\"0\":0", long_keys, strings = "[\"0\"";
  for (int i = 1; i < 999'999; ++i) zeros += ",0";  // with the array itself: as many values as there may be
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
    const double seconds = seconds_of([&] { violations = by.validate(value); });
    CHECK(seconds < 20);
    CHECK(violations.empty() == row.valid);
    CHECK(violations.size() <= 50);
    for (const Violation& v : violations) CHECK(v.pointer.size() + v.message.size() < 4096);
  }
}

TEST_CASE("a check that would multiply with every level is stopped, and the value is not taken for valid") {
  const InputSchema twice = schema(R"({"type":"object","properties":{"a":{"oneOf":[
      {"allOf":[{"$ref":"#"},{"required":["x"]}]},{"allOf":[{"$ref":"#"},{"required":["y"]}]}]}}})");
  std::string deep = "{}";
  for (int i = 0; i < 60; ++i) deep = R"({"a":)" + deep + "}";
  std::vector<Violation> violations;
  CHECK(seconds_of([&] { violations = twice.validate(json(deep)); }) < 30);
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].rule == "limit");
}

TEST_CASE("a schema and a value nested as deep as both may be do not overflow the stack") {
  std::string inner = R"({"type":["array","integer"],"items":{"$ref":"#"}})";
  for (int i = 0; i < 29; ++i) inner = R"({"allOf":[)" + inner + "]}";
  const InputSchema deep = schema(inner);
  const auto violations = deep.validate(json(std::string(256, '[') + "1" + std::string(256, ']')));
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].rule == "limit");
  CHECK(told(deep, json("[[1]]")) == "");
}

TEST_CASE("violations do not carry control characters to a terminal") {
  const std::string text =
      told(schema(R"({"additionalProperties":{"type":"null"}})"), json(R"({"\u001b[2J\n":"\u001b]0;x\u0007"})"));
  for (const char c : text) CHECK(static_cast<unsigned char>(c) >= 0x20);
  CHECK(has(text, "/\\u001b[2J\\n type expected null"));
}

}  // namespace band
