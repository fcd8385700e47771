// Broken skills, and the expected message for each: file, line, and the text to write.
#include <doctest/doctest.h>

#include "tests/pure/client/checks/check_skill_test.h"

using namespace band::test;

namespace {

const std::string kHead = "---\nname: s\ndescription: Does it. Use it in tests.\n";
const std::string kSkill = kHead + "---\n\n# It\n\n";  // seven lines
const std::string kInput =
    "{\n  \"type\": \"object\",\n  \"additionalProperties\": false,\n  \"required\": [\"name\"],\n"
    "  \"properties\": {\n    \"name\": {\"type\": \"string\"},\n    \"count\": {\"type\": \"integer\", \"maximum\": "
    "9}\n"
    "  }\n}\n";

std::string input_with(const std::string& properties, const std::string& more = "") {
  return "{\n  \"type\": \"object\",\n  \"additionalProperties\": false," + more + "\n  \"properties\": {\n" +
         properties + "\n  }\n}\n";
}

std::string script(const std::string& body) { return "set -eu\n" + body + "\necho '{}' > \"$OUTPUT_PATH\"\n"; }
std::string with_rules(const std::string& yaml) { return "---\nband: s\n" + yaml + "\n---\n"; }

// Applies the rule that the only note proposes; afterwards nothing is found.
void check_mended(const SkillCase& given) {
  const std::size_t end = given.expected.find(" in s/BAND.md\n");
  if (end == std::string::npos || given.files.contains("BAND.md")) return;
  if (given.expected.find('\n') + 1 != given.expected.size()) return;
  const std::size_t begin = given.expected.rfind("; write ", end) + std::string("; write ").size();
  SkillCase mended = given;
  mended.files["BAND.md"] = with_rules(given.expected.substr(begin, end - begin));
  CAPTURE(mended.files["BAND.md"]);
  CHECK(checked(mended) == "");
}

void check(const std::vector<SkillCase>& cases) {
  for (const SkillCase& given : cases) {
    CAPTURE(std::string(given.about));
    CHECK(checked(given) == given.expected);
    check_mended(given);
  }
}

}  // namespace

TEST_CASE("SKILL.md: a form that agents refuse is an error, one that they ignore or misread is a note") {
  check({
      {"SKILL.md is missing",
       {{"SKILL.md", ""}},
       "s/SKILL.md: is missing; write one: it explains to agents what the skill is for\n"},
      {"no frontmatter",
       {{"SKILL.md", "# It\n"}},
       "s/SKILL.md:1:1: no frontmatter; begin the file with a line `---`, then `name: s` and `description: TEXT`, then "
       "a "
       "line `---`\n"},
      {"the frontmatter does not end",
       {{"SKILL.md", kHead + "# It\n"}},
       "s/SKILL.md:5:1: the frontmatter does not end; put a line `---` after `name: s` and `description: TEXT`\n"},
      {"no name",
       {{"SKILL.md", "---\ndescription: Does it.\n---\n"}},
       "s/SKILL.md:2:1: `name` is missing; write name: s\n"},
      {"another name than the directory's",
       {{"SKILL.md", "---\nname: other\ndescription: Does it.\n---\n"}},
       "s/SKILL.md:2:7: the name is `other`, and the directory is called `s`; write name: s\n"},
      {"a name that agents do not accept",
       {},
       "My_Skill/SKILL.md:2:7: agents do not accept the name `My_Skill`: it has a character other than a to z, 0 to 9 "
       "and "
       "-; rename the directory and write name: my-skill\n",
       "My_Skill"},
      {"no description",
       {{"SKILL.md", "---\nname: s\n---\n"}},
       "s/SKILL.md:2:1: `description` is missing; write description: WHAT IT DOES, AND WHEN TO USE IT\n"},
      {"a description that is too long",
       {{"SKILL.md", "---\nname: s\ndescription: " + std::string(1025, 'x') + "\n---\n"}},
       "s/SKILL.md:3:14: `description` has 1025 characters, and agents accept at most 1024; move details into the text "
       "below the second `---`\n"},
      {"a compatibility that is too long",
       {{"SKILL.md", kHead + "compatibility: " + std::string(501, 'x') + "\n---\n"}},
       "s/SKILL.md:4:16: `compatibility` has 501 characters, and agents accept at most 500; shorten it\n"},
      {"a colon in a plain text",
       {{"SKILL.md", "---\nname: s\ndescription: Does it: well\n---\n"}},
       "s/SKILL.md:3:21: this is not YAML: illegal map value; quote a text that contains a colon\n"},
      {"metadata that is not a text, and an unknown key",
       {{"SKILL.md", kHead + "metadata: {version: 1.0}\nallowed_tools: Read\n---\n"}},
       "note: s/SKILL.md:4:21: `metadata.version` is a number, and agents expect a text; write version: \"1.0\"\n"
       "note: s/SKILL.md:5:1: the Agent Skills specification has no key `allowed_tools`; did you mean "
       "`allowed-tools`?\n"},
      {"allowed-tools as a list",
       {{"SKILL.md", kHead + "allowed-tools: [Read, \"Bash(band call s/*)\"]\n---\n"}},
       "note: s/SKILL.md:4:16: `allowed-tools` is a list, and the specification requires a text; write allowed-tools: "
       "Read "
       "Bash(band call s/*)\n"},
      {"a text that is too long",
       {{"SKILL.md", kSkill + std::string(501, '\n')}},
       "note: s/SKILL.md:5: the text has 504 lines, and agents read all of them; move details into files of "
       "references/: at most 500 lines are recommended for SKILL.md\n"},
      {"a link to a file that is missing",
       {{"SKILL.md", kSkill + "Read [the guide](references/guide.md#top).\n"}},
       "note: s/SKILL.md:8:6: the skill has no file references/guide.md; write it, or remove the link\n"},
  });
}

TEST_CASE("SKILL.md: an example that the script refuses is an error, and an impossible output, too") {
  const std::string output =
      "{\"type\": \"object\", \"required\": [\"greeting\"], \"properties\": {\"greeting\": {\"type\": \"string\"}}}";
  const auto with = [&](const std::string& example) {
    return SkillFiles{
        {"SKILL.md", kSkill + example}, {"schemas/input/go.json", kInput}, {"schemas/output/go.json", output}};
  };
  check({
      {"an example of an unknown script", with("    band call s/gp --name World\n"),
       "s/SKILL.md:8:15: the skill has no script `gp`; did you mean `go`?\n"},
      {"an example with an unknown flag", with("```\nband run s/go --nmae World\n```\n"),
       "s/SKILL.md:9:1: the example does not fit s/schemas/input/go.json: the script has no parameter --nmae; did you "
       "mean `--name`?\n"},
      {"an example without what is required", with("    $ band call s/go --count 3\n"),
       "s/SKILL.md:8:7: the example does not fit s/schemas/input/go.json: input: missing property \"name\" "
       "(rule "
       "`required`); `band run s/go --help` shows the parameters\n"},
      {"an example with a wrong value", with("    band call s/go --name World \\\n      --count many\n"),
       "s/SKILL.md:8:5: the example does not fit s/schemas/input/go.json: --count: expected integer (rule `type`), got "
       "\"many\"; write a whole number, for example --count=5\n"},
      {"an output that does not fit", with("    band call s/go --name World\n    {\"greetings\": \"Hello\"}\n"),
       "s/SKILL.md:9:5: the output does not fit s/schemas/output/go.json: missing property \"greeting\"; write "
       "the complete output that the script returns\n"},
  });
}

TEST_CASE(
    "tests: an input that the script refuses is an error unless the case expects it; an invalid file is an error, "
    "too") {
  const auto with = [&](const std::string& cases) {
    return SkillFiles{{"tests/go.yaml", "script: go\ncases:\n" + cases}, {"schemas/input/go.json", kInput}};
  };
  check({
      {"a value of the input", with("  - name: a\n    input: {name: 5}\n"),
       "s/tests/go.yaml:4:12: the input of the test does not fit s/schemas/input/go.json: input/name: expected string, "
       "got integer 5 (rule `type`); change the input, or write `expect: {code: INPUT_INVALID}` if the case tests this "
       "refusal\n"},
      {"no input", with("  - name: a\n"),
       "s/tests/go.yaml:3:5: the input of the test does not fit s/schemas/input/go.json: input: missing property "
       "\"name\" (rule `required`); change the input, or write `expect: {code: INPUT_INVALID}` if the case tests this "
       "refusal\n"},
      {"a parameter, behind an input that fits",
       with("  - name: a\n    input: {name: x}\n    arguments: [\"--count\", \"x\"]\n"),
       "s/tests/go.yaml:5:16: the input of the test does not fit s/schemas/input/go.json: --count: expected integer "
       "(rule `type`), got \"x\"; change the input, or write `expect: {code: INPUT_INVALID}` if the case tests this "
       "refusal\n"},
      {"another code than that of the refusal",
       with("  - name: a\n    arguments: [\"--nmae=x\"]\n    expect: {code: INPUT_INVALID}\n"),
       "s/tests/go.yaml:4:16: the input of the test does not fit s/schemas/input/go.json: the script has no parameter "
       "--nmae; change the input, or write `expect: {code: USAGE}` if the case tests this refusal\n"},
      {"cases that fit, and cases that expect the refusal",
       with("  - name: a\n    input: {name: x}\n  - name: b\n    arguments: [\"--name\", x, \"--count\", \"3\"]\n"
            "  - name: c\n    expect: {code: INPUT_INVALID}\n  - name: d\n    arguments: [\"--nmae=x\"]\n"
            "    expect: {code: USAGE}\n"),
       ""},
      {"a mistake of the file", with("  - name: a\n    input: {name: x}\n    expects: {}\n"),
       "s/tests/go.yaml:5:5: unknown key `expects` in cases[0]; did you mean `expect`?\n"},
  });
}

TEST_CASE("an input for a script without an input schema is one error, at the path of the missing schema") {
  const std::string missing =
      "s/schemas/input/go.json: is missing. Without it s/go accepts no input, but s/SKILL.md:8 passes one; write the "
      "schema, as in {\"type\": \"object\", \"properties\": {\"name\": {\"type\": \"string\"}}}; or remove the input "
      "there\n";
  check({
      {"two examples and a test",
       {{"SKILL.md", kSkill + "    band call s/go --name World\n    band call s/go --input '{\"a\": 1}'\n"},
        {"tests/go.yaml", "script: go\ncases:\n  - name: a\n    input: {name: x}\n"}},
       missing},
      {"calls without an input",
       {{"SKILL.md", kSkill + "    band call s/go\n    band call s/go --input '{}'\n"},
        {"tests/go.yaml",
         "script: go\ncases:\n  - name: a\n  - name: b\n    input: {x: 1}\n    expect: {code: INPUT_INVALID}\n"}},
       ""},
  });
}

TEST_CASE("schemas: a contradiction is an error, with its place") {
  check({
      {"an example that does not fit",
       {{"schemas/input/go.json", input_with("    \"n\": {\"type\": \"integer\", \"examples\": [1, \"two\"]}")}},
       "s/schemas/input/go.json:5:46: the example \"two\" does not fit its own schema: expected integer, "
       "got "
       "string \"two\"; change the example, or the schema\n"},
      {"a default that does not fit",
       {{"schemas/input/go.json", input_with("    \"n\": {\"type\": \"integer\", \"default\": \"two\"}")}},
       "s/schemas/input/go.json:5:41: schema input/go.json#/properties/n/default: the default is not valid under "
       "its own schema: expected integer, got string \"two\"; change the default, or the schema\n"},
      {"a const that does not fit",
       {{"schemas/input/go.json", input_with("    \"n\": {\"type\": \"string\", \"const\": 5}")}},
       "s/schemas/input/go.json:5:38: no value fits: `const` is integer 5, and the rest of the schema does not allow "
       "this value: expected "
       "string, "
       "got integer 5; change one of them\n"},
      {"a member of enum that does not fit",
       {{"schemas/input/go.json", input_with("    \"n\": {\"type\": \"string\", \"enum\": [\"a\", 5]}")}},
       "note: s/schemas/input/go.json:5:43: `enum` lists integer 5, and the rest of the schema does not allow this "
       "value: "
       "expected "
       "string, got integer 5; remove it, or change the schema\n"},
      {"a required property that is missing",
       {{"schemas/input/go.json", input_with("    \"name\": {\"type\": \"string\"}", "\n  \"required\": [\"nmae\"],")}},
       "s/schemas/input/go.json:4:16: no input fits: `required` names `nmae`, which `properties` lacks and "
       "`additionalProperties: false` forbids; did you mean `name`?\n"},
      {"bounds that exclude each other",
       {{"schemas/input/go.json", input_with("    \"n\": {\"type\": \"integer\", \"minimum\": 9, \"maximum\": 5}")}},
       "s/schemas/input/go.json:5:30: no value fits: `minimum` is 9, and `maximum` is 5; change one of them\n"},
      {"a mistyped keyword",
       {{"schemas/input/go.json", input_with("    \"n\": {\"type\": \"string\", \"maxlength\": 5}")}},
       "note: s/schemas/input/go.json:5:29: JSON Schema has no keyword `maxlength`, so it has no effect; did you mean "
       "`maxLength`?\n"},
      {"a schema of no script",
       {{"schemas/output/report.json", "{\"type\": \"object\"}\n"}},
       "note: s/schemas/output/report.json: no script is called `report`; rename it to schemas/output/go.json, or move "
       "it to schemas/defs and write {\"$ref\": \"../defs/report.json\"} where it is used\n"},
      {"a shared schema that nothing refers to",
       {{"schemas/defs/path.json", "{\"type\": \"string\"}\n"}},
       "note: s/schemas/defs/path.json: no schema refers to it; write {\"$ref\": \"../defs/path.json\"} where it is "
       "used, "
       "or remove it\n"},
  });
}

TEST_CASE(
    "variables: one that is used and neither set nor declared is a note, and one that is declared and not used, too") {
  check({
      {"a secret that the band does not declare",
       {{"scripts/go/run.sh", script("printf 'header = \"Authorization: Bearer %s\"' \"$API_TOKEN\"")}},
       "note: s/scripts/go/run.sh:2:47: $API_TOKEN has no value: the script does not set it, and the band does not "
       "declare "
       "it; write env: [API_TOKEN] in s/BAND.md\n"},
      {"another variable",
       {{"scripts/go/run.sh", script("echo \"${REGION}\"")}},
       "note: s/scripts/go/run.sh:2:7: $REGION has no value: the script does not set it, and the band does not declare "
       "it; "
       "write env: {REGION: {secret: false}} in s/BAND.md\n"},
      {"a mistyped variable",
       {{"scripts/go/run.sh", script("path=./x\necho \"$paht\"")}},
       "note: s/scripts/go/run.sh:3:7: $paht has no value: the script does not set it, and the band does not declare "
       "it; "
       "did you mean `$path`?\n"},
      {"a variable that a shared file uses",
       {{"scripts/go/run.sh", script(". \"$BAND_LIB/a.sh\"")},
        {"scripts/_lib/a.sh", "ask() { echo \"$SITE_KEY\"; }\n"}},
       "note: s/scripts/_lib/a.sh:1:15: $SITE_KEY has no value: no script sets it, and no band declares it; write env: "
       "[SITE_KEY] in s/BAND.md\n"},
      {"a script that cannot be loaded may be the one that uses a variable, or sets a shared one",
       {{"BAND.md", with_rules("env: {API_TOKEN: {description: a token}}")},
        {"scripts/_lib/a.sh", "ask() { echo \"$mode\"; }\n"},
        {"scripts/other/BAND.md", "---\nband: s\nincludes: ../../BAND.md\nsurprise: 1\n---\n"},
        {"scripts/other/run.sh", "mode=$API_TOKEN\n. \"$BAND_LIB/a.sh\"\n"}},
       "s/scripts/other/BAND.md:4:1: unknown key `surprise`; known keys: band, icon, description, version, allow, "
       "deny, insist, limit, env, requires, execution, extends, includes, path, contract, provides\n"
       "note: s/scripts/other/BAND.md: is not a valid band, so these were not checked: its rules, unused schemas, and "
       "whether the band allows the variables, commands and files that its scripts and scripts/_lib use; correct "
       "it, and "
       "validate again\n"},
      {"a variable that no script uses",
       {{"BAND.md", with_rules("env:\n  API_TOKEN: {description: a token}")}},
       "note: s/BAND.md:4: no script uses the variable API_TOKEN; remove it from `env`\n"},
  });
}

TEST_CASE(
    "files and commands: one that the script names and the band does not open is a note, with the line to write") {
  check({
      {"a file that is read",
       {{"scripts/go/run.sh", script("jq -r .name data/names.json")}},
       "note: s/scripts/go/run.sh:2:13: reads data/names.json, which the band does not allow; write allow: {read: "
       "[\"./data/names.json\"]} in s/BAND.md\n"},
      {"a file that is written",
       {{"scripts/go/run.sh", script("date > out/report.txt")}},
       "note: s/scripts/go/run.sh:2:8: writes out/report.txt, which the band does not allow: the file is not written "
       "back; "
       "write "
       "allow: {read: [{path: \"./out/report.txt\", optional: true}], write: [\"./out/report.txt\"]} in s/BAND.md\n"},
      {"a file of the machine",
       {{"scripts/go/run.sh", script("while read -r x; do echo \"$x\"; done < /srv/list")}},
       "note: s/scripts/go/run.sh:2:39: reads /srv/list, which the band does not allow; write allow: {read: "
       "[\"/srv/list\"]} in s/BAND.md\n"},
      {"a shared file that is sourced by a wrong name",
       {{"scripts/go/run.sh", script(". ./a.sh")}, {"scripts/_lib/a.sh", "x=1\n"}},
       "note: s/scripts/go/run.sh:2:3: reads a.sh, which the band does not allow; write . \"$BAND_LIB/a.sh\"\n"},
      {"a command that is not declared",
       {{"scripts/go/run.sh", script("gh pr list --limit \"$(date +%d)\" | cat")}},
       "note: s/scripts/go/run.sh:2:1: the band does not declare the command gh; write allow: {cli: [\"gh pr list "
       "--limit "
       "*\"]} in s/BAND.md\n"},
      {"a command that neither the band nor the one that it extends declares",
       {{"BAND.md", with_rules("extends: base/BAND.md")},
        {"base/BAND.md", with_rules("allow: {read: [./x]}")},
        {"scripts/go/run.sh", script("gh api x")}},
       "note: s/scripts/go/run.sh:2:1: the band does not declare the command gh; write allow: {cli: [\"gh api x\"]} in "
       "s/BAND.md, and in s/base/BAND.md, which the band extends\n"},
      {"a command that only the extended band declares",
       {{"BAND.md", with_rules("extends: base/BAND.md\nallow: {cli: [gh pr list]}")},
        {"base/BAND.md", with_rules("allow: {cli: [gh *]}")},
        {"scripts/go/run.sh", script("gh api x")}},
       "note: s/scripts/go/run.sh:2:1: the band does not allow `gh api x`; write allow: {cli: [\"gh api x\"]} in "
       "s/BAND.md\n"},
      {"a command that is used twice",
       {{"scripts/go/run.sh", script("gh api x\ngh api x\ngh api y")}},
       "note: s/scripts/go/run.sh:2:1: the band does not declare the command gh; write allow: {cli: [\"gh api x\"]} in "
       "s/BAND.md\nnote: s/scripts/go/run.sh:4:1: the band does not declare the command gh; write allow: {cli: [\"gh "
       "api "
       "y\"]} in s/BAND.md\n"},
      {"a command behind another",
       {{"scripts/go/run.sh", script("if LANG=C timeout 5 gh auth status; then :; fi")}},
       "note: s/scripts/go/run.sh:2:21: the band does not declare the command gh; write allow: {cli: [\"gh auth "
       "status\"]} "
       "in s/BAND.md\n"},
      {"a line that the band does not allow",
       {{"BAND.md", with_rules("allow: {cli: [\"gh pr *\"]}")}, {"scripts/go/run.sh", script("gh issue list")}},
       "note: s/scripts/go/run.sh:2:1: the band does not allow `gh issue list`; write allow: {cli: [\"gh issue "
       "list\"]} in "
       "s/BAND.md\n"},
      {"a line that the band denies",
       {{"BAND.md", with_rules("allow: {cli: [\"gh *\"]}\ndeny: {cli: [\"gh repo delete\"]}")},
        {"scripts/go/run.sh", script("gh repo delete x")}},
       "note: s/scripts/go/run.sh:2:1: the band denies `gh repo delete x`: deny.cli \"gh repo delete\", s/BAND.md:4; "
       "remove "
       "the line, or the rule\n"},
      {"a program of the workspace",
       {{"scripts/go/run.sh", script("./configure --prefix=/tmp")}},
       "note: s/scripts/go/run.sh:2:1: ./configure cannot be executed: files of the workspace and of the skill are not "
       "executable; "
       "write "
       "bash ./configure, or the interpreter that it needs\n"},
  });
}

TEST_CASE("a limit that is too short for a script, and a script that is started without band, are noted") {
  const std::string outside = " without band: no rule applies to that run; write band call s/";
  check({
      {"seconds that were written as milliseconds, for two scripts",
       {{"BAND.md", with_rules("limit: {maxRuntimeMs: 60}")}, {"scripts/to/run.sh", script(":")}},
       "note: s/BAND.md:3: limit.maxRuntimeMs: a run is killed after 60 ms, which is too short for nearly every "
       "script; write "
       "maxRuntimeMs: 60000 for 60 s\n"},
      {"a limit of an included band that only lowers a limit",
       {{"BAND.md", with_rules("includes: base/BAND.md\nlimit: {maxFiles: 2000}")},
        {"base/BAND.md", "---\nband: s\nlimit: {maxRuntimeMs: 10m, maxProcesses: 20, maxFiles: 3000}\n---\n"}},
       "note: s/base/BAND.md:3: limit.maxRuntimeMs: 10m has no effect in s/BAND.md, which sets no such limit and "
       "therefore has the default: a limit of an included or extended BAND.md only lowers a limit; write `limit: "
       "{maxRuntimeMs: 10m}` in s/BAND.md\n"},
      {"a second is long enough for a run", {{"BAND.md", with_rules("limit: {maxRuntimeMs: 1000}")}}, ""},
      {"an interpreter with a script, in a block and in a line of text",
       {{"SKILL.md",
         kSkill + "Call `python3 scripts/go.py --x`.\n\n    bash scripts/go/run.sh\n    ./scripts/gone.sh x\n"}},
       "note: s/SKILL.md:8: starts scripts/go.py" + outside + "go\n" + "note: s/SKILL.md:10: starts scripts/go/run.sh" +
           outside + "go\n" + "note: s/SKILL.md:11: starts ./scripts/gone.sh" + outside + "SCRIPT\n"},
      {"options of the interpreter, other paths of the script, and words before it",
       {{"SKILL.md",
         kSkill +
             "```\nbash -x scripts/go/run.sh\nbash skills/s/scripts/go/run.sh\npython3.11 -W error -u scripts/go.py\n"
             "A=1 env B=2 timeout 5 bash -o pipefail \"$DIR/scripts/go/run.sh\"\nx=$(./scripts/go.sh)\n"
             ". scripts/go/run.sh\n```\n\nRun node -r x scripts/go.js, or python3 scripts/go.py.\n"}},
       [&] {
         std::string notes;
         for (const auto& [line, path] : std::vector<std::pair<int, std::string>>{{9, "scripts/go/run.sh"},
                                                                                  {10, "skills/s/scripts/go/run.sh"},
                                                                                  {11, "scripts/go.py"},
                                                                                  {12, "$DIR/scripts/go/run.sh"},
                                                                                  {13, "./scripts/go.sh"},
                                                                                  {14, "scripts/go/run.sh"},
                                                                                  {17, "scripts/go.js"}})
           notes.append("note: s/SKILL.md:")
               .append(std::to_string(line))
               .append(": starts ")
               .append(path)
               .append(outside + "go\n");
         return notes;
       }()},
      {"a session, of which a line that is printed has a quote",
       {{"SKILL.md", kSkill + "```\n$ band list s\nDon't\n$ bash \\\n    scripts/go/run.sh\n./scripts/go.sh\n```\n"}},
       "note: s/SKILL.md:11: starts scripts/go/run.sh" + outside + "go\n"},
      {"paths that are named and not started",
       {{"SKILL.md", kSkill +
                         "The code is in scripts/go/run.sh, `scripts/go/run.sh` and ./scripts/go/run.sh.\n\n```\n"
                         "# bash scripts/go/run.sh\necho \"then bash scripts/go/run.sh\"\ncat ./scripts/go/run.sh\n"
                         "cp scripts/go/run.sh x; chmod +x ./scripts/go/run.sh\nbash -c scripts/go/run.sh\n"
                         "scripts/go/run.sh\ncat << END\nbash scripts/go/run.sh\nEND\nbash myscripts/x.sh\n"
                         "bash ../other/scripts/x.sh\npython3 -m x scripts/go.py\n```\n"}},
       ""},
  });
}
