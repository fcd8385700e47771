// A skill's schemas: accepted and refused schemas, and the targets of references.
#include "schemas/json_schema/input_schema.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "schemas/core/json.h"
#include "tests/pure/schemas/json_schema/input_schema_test.h"

namespace band {

using test::has, test::json, test::schema, test::problem_text;

namespace {

namespace fs = std::filesystem;

// A temporary directory of schema files; the destructor removes it.
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

// Checks that the schema text is refused with a message that has each of `words`.
void check_refused(const std::string& text, const std::vector<const char*>& words) {
  INFO(text);
  const auto made = InputSchema::from_json(json(text), "test.json");
  REQUIRE_FALSE(made.ok());
  CAPTURE(made.error().message());
  CHECK(made.error().code == Code::SkillInvalid);
  for (const char* word : words) CHECK(has(made.error().message(), word));
}

}  // namespace

TEST_CASE("a schema that is not draft-07, or has keywords that would not be checked, is refused with a hint") {
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
      {R"({"required":["a","a"]})", "appears twice"},
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
      {R"({"prefixItems":[]})", "`prefixItems` is not a keyword of draft-07"},
      {R"({"properties":{"a":{"unevaluatedProperties":false}}})", "test.json#/properties/a: `unevaluatedProperties`"},
      {R"({"$schema":"https://json-schema.org/draft/2020-12/schema"})", "expected draft-07"},
      {R"({"properties":{"a":{"$id":"x"}}})", "`$id` is allowed only at the top of a file"},
      {R"({"$ref":"#/definitions/a","minimum":1,"definitions":{"a":{}}})", "draft-07 ignores `minimum` next to `$ref`"},
      {R"({"$ref":5})", "expected a string"},
      {R"({"$ref":"#/definitions/a"})", "has no target"},
      {R"({"$ref":"#a"})", "has no JSON pointer"},
      {R"({"$ref":"#/a","a":5})", "refers to integer 5"},
      {R"({"$ref":"https://example.com/a.json"})", "band does not fetch schemas"},
      {R"({"$ref":"%zz"})", "without two hex digits"},
      {R"({"$ref":"other.json"})", "may not refer to files"},
      {R"({"properties":{"a":{"type":"integer","default":"x"}}})", "not valid under its own schema"},
      {R"({"properties":{"a":{"$ref":"#","default":{}}}})", "defaults without end"},
  };
  for (const Row& row : rows) {
    check_refused(row.schema, {row.message});
  }
}

TEST_CASE("cycles of references that do not descend into the value are refused, and the message shows the cycle") {
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
    check_refused(row.schema, {"a cycle of references", row.circle});
  }
}

TEST_CASE("references may name files below the skill's schemas, and the bundle is one schema") {
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
  CHECK(problem_text(*greet, json(R"({"who":{"name":"A","home":{"zip":"12345","owner":{"name":"B"}}},"n":1})")) == "");
  CHECK(
      problem_text(*greet,
                   json(R"({"who":{"home":{"zip":"1","owner":{"friend":{"name":""}}}},"again":{"name":5},"n":"x"})")) ==
      "/who/home/zip pattern expected a string that matches ^[0-9]{5}$, got string \"1\"; "
      "/who/home/owner/friend/name minLength expected at least 1 characters, got 0: string \"\"; "
      "/again/name type expected string, got integer 5; /n type expected integer, got string \"x\"");
  const std::string bundled = dump_json(greet->bundled());
  CHECK_FALSE(has(bundled, ".json#"));
  CHECK_FALSE(has(bundled, "../"));
  // The bundle needs no other file.
  const auto again = InputSchema::from_json(greet->bundled(), "bundle");
  REQUIRE_MESSAGE(again.ok(), again.error().message());
  CHECK(problem_text(*again, json(R"({"who":{"home":{}}})")) == "/who/home required missing property \"zip\"");
}

TEST_CASE("no reference, link or FIFO gives access outside the schemas' directory, and sizes are bounded") {
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
  CHECK(has(refers("../../secret.json"), "is outside"));
  CHECK(has(refers("../link.json"), "is outside"));
  CHECK(has(refers("../up/secret.json"), "is outside"));
  CHECK(has(refers("%2e%2e/%2e%2e/secret.json"), "is outside"));
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
  CHECK(has(folder.refusal("chain/0.json"), "a schema can have at most 64"));
  CHECK(folder.load("chain/20.json").ok());
}

TEST_CASE("a cycle across files is shown by file and pointer") {
  const Folder folder;
  folder.write("defs/a.json", R"({"definitions":{"x":{"$ref":"b.json#/definitions/y"}}})");
  folder.write("defs/b.json", R"({"definitions":{"y":{"oneOf":[{"$ref":"a.json#/definitions/x"}]}}})");
  folder.write("input/i.json", R"({"properties":{"p":{"$ref":"../defs/a.json#/definitions/x"}}})");
  CHECK(has(folder.refusal("input/i.json"),
            "defs/a.json#/definitions/x -> defs/b.json#/definitions/y -> defs/a.json#/definitions/x"));
  folder.write("defs/b.json", R"({"definitions":{"y":{"type":"array","items":{"$ref":"a.json#/definitions/x"}}}})");
  const auto made = folder.load("input/i.json");
  REQUIRE_MESSAGE(made.ok(), made.error().message());
  CHECK(problem_text(*made, json(R"({"p":[[[]]]})")) == "");
  CHECK(problem_text(*made, json(R"({"p":[[1]]})")) == "/p/0/0 type expected array, got integer 1");
}

}  // namespace band
