// Findings in several files: an error hides only findings that depend on it, and each finding has its place.
#include <doctest/doctest.h>

#include "tests/pure/client/checks/check_skill_test.h"

using namespace band::test;

namespace {

const std::string kSkill = "---\nname: s\ndescription: Does it. Use it in tests.\n---\n\n# It\n\n";  // seven lines
const std::string kInput =
    "{\"type\": \"object\", \"additionalProperties\": false, \"required\": [\"name\"], \"properties\": {\"name\": "
    "{\"type\": \"string\"}, \"count\": {\"type\": \"integer\"}}}\n";

std::string script(const std::string& body) { return "set -eu\n" + body + "\necho '{}' > \"$OUTPUT_PATH\"\n"; }
std::string with_rules(const std::string& yaml) { return "---\nband: s\n" + yaml + "\n---\n"; }

void check(const std::vector<SkillCase>& cases) {
  for (const SkillCase& given : cases) {
    CAPTURE(std::string(given.about));
    CHECK(checked(given) == given.expected);
  }
}

}  // namespace

TEST_CASE(
    "all findings are reported together: an error hides only findings that depend on it, and a note lists the skipped "
    "checks") {
  const std::string run = script("gh pr list\necho \"$API_TOKEN\"");
  check({
      {"an unknown key of the band, with errors in both schemas, in an example and in a test",
       {{"BAND.md", with_rules("clii: [gh]")},
        {"SKILL.md", kSkill + "    band call s/go --count x\n"},
        {"scripts/go/run.sh", run},
        {"schemas/input/go.json", kInput},
        {"schemas/output/go.json", "{\"type\": \"objekt\"}\n"},
        {"tests/go.yaml", "script: go\ncases:\n  - name: a\n    input: {count: 1}\n"}},
       "s/BAND.md:3:1: unknown key `clii`; known keys: band, icon, description, version, allow, deny, insist, limit, "
       "env, requires, execution, extends, includes, path, contract, provides\n"
       "s/SKILL.md:8:5: the example does not fit s/schemas/input/go.json: --count: expected integer (rule `type`), got "
       "\"x\"; write a whole number, for example --count=5\n"
       "s/schemas/output/go.json:1:10: schema output/go.json#/type: expected a type's name, got string \"objekt\"; "
       "write one "
       "of null, boolean, integer, number, string, array, object, or an array of them\n"
       "s/tests/go.yaml:4:12: the input of the test does not fit s/schemas/input/go.json: input: missing property "
       "\"name\" (rule `required`); change the input, or write `expect: {code: INPUT_INVALID}` if the case tests this "
       "refusal\n"
       "note: s/BAND.md: is not a valid band, so these were not checked: its rules, unused schemas, and "
       "whether the band allows the variables, commands and files that its scripts use; correct it, and validate "
       "again\n"},
      {"an invalid output schema hides no finding of the script",
       {{"scripts/go/run.sh", run}, {"schemas/output/go.json", "{\"type\": \"objekt\"}\n"}},
       "s/schemas/output/go.json:1:10: schema output/go.json#/type: expected a type's name, got string \"objekt\"; "
       "write one "
       "of null, boolean, integer, number, string, array, object, or an array of them\n"
       "note: s/scripts/go/run.sh:2:1: the band does not declare the command gh; write allow: {cli: [\"gh pr list\"]} "
       "in s/BAND.md\n"
       "note: s/scripts/go/run.sh:3:7: $API_TOKEN has no value: the script does not set it, and the band does not "
       "declare it; write env: [API_TOKEN] in s/BAND.md\n"},
      {"an invalid output schema does not hide an invalid placeholder",
       {{"BAND.md", with_rules("allow: {read: [\"{nmae}\"]}")},
        {"schemas/input/go.json", kInput},
        {"schemas/output/go.json", "{\"type\": \"objekt\"}\n"}},
       "s/BAND.md:3: {nmae}: the input of s/go has no property of this name that can be a path; did you mean {name}?\n"
       "s/schemas/output/go.json:1:10: schema output/go.json#/type: expected a type's name, got string \"objekt\"; "
       "write one "
       "of null, boolean, integer, number, string, array, object, or an array of them\n"},
      {"an empty run.sh does not hide an example that does not fit",
       {{"SKILL.md", kSkill + "    band call s/go --count x\n"},
        {"scripts/go/run.sh", "\n"},
        {"schemas/input/go.json", kInput}},
       "s/SKILL.md:8:5: the example does not fit s/schemas/input/go.json: --count: expected integer (rule `type`), got "
       "\"x\"; write a whole number, for example --count=5\n"
       "s/scripts/go/run.sh: is empty; write the script there; its result goes to \"$OUTPUT_PATH\" as JSON\n"},
      {"an invalid file of scripts/_lib",
       {{"scripts/go/run.sh", run}, {"scripts/_lib/\x01", "x"}},
       "s/scripts/_lib/\x01: has a name that cannot be sent; use UTF-8 without control characters\n"
       "note: s/BAND.md: was not compared with scripts/go, because the files of this script have errors. Not checked: "
       "whether the band allows the variables, commands and files that its scripts use; correct them, and validate "
       "again\n"},
      {"one of two scripts has an invalid band",
       {{"scripts/go/run.sh", run},
        {"scripts/to/run.sh", run},
        {"scripts/to/BAND.md", with_rules("clii: [gh]")},
        {"scripts/_lib/a.sh", "gh x\n"}},
       "s/scripts/to/BAND.md:3:1: unknown key `clii`; known keys: band, icon, description, version, allow, deny, "
       "insist, limit, env, requires, execution, extends, includes, path, contract, provides\n"
       "note: s/scripts/go/run.sh:2:1: the band does not declare the command gh; write allow: {cli: [\"gh pr list\"]} "
       "in s/BAND.md\n"
       "note: s/scripts/go/run.sh:3:7: $API_TOKEN has no value: the script does not set it, and the band does not "
       "declare it; write env: [API_TOKEN] in s/BAND.md\n"
       "note: s/scripts/to/BAND.md: is not a valid band, so these were not checked: its rules, unused schemas, and "
       "whether the band allows the variables, commands and files that its scripts and scripts/_lib use; correct "
       "it, and "
       "validate again\n"},
  });
}

TEST_CASE("a schema that is not JSON is reported with the line and column of the error") {
  check({
      {"an empty file",
       {{"schemas/input/go.json", " \n"}},
       "s/schemas/input/go.json:2:1: not JSON: unexpected end of input; expected '[', '{', or a literal\n"},
      {"a byte order mark",
       {{"schemas/input/go.json", "\xEF\xBB\xBF{}"}},
       "s/schemas/input/go.json:1:1: begins with a byte order mark; save it as UTF-8 without one\n"},
      {"a duplicate key",
       {{"schemas/output/go.json", "{\n  \"type\": \"object\",\n  \"type\": \"object\"\n}\n"}},
       "s/schemas/output/go.json:3:8: duplicate key /type; keep one of the two\n"},
      {"a comma too many",
       {{"schemas/input/go.json", "{\n  \"type\": \"object\",\n}\n"}},
       "s/schemas/input/go.json:3:1: not JSON: unexpected '}'; expected string literal\n"},
      {"a file that another one refers to, by the place of the reference",
       {{"schemas/input/go.json", "{\"$ref\": \"../defs/x.json\"}\n"}, {"schemas/defs/x.json", "{\n"}},
       "s/schemas/input/go.json:1:10: schema input/go.json#/$ref: cannot read schema defs/x.json, line 2, column 1: "
       "not JSON: "
       "unexpected end of input; expected string literal\n"},
  });
}
