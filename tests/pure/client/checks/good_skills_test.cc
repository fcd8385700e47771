// Valid but unusual skills: no error and no note.
#include <doctest/doctest.h>

#include "tests/pure/client/checks/check_skill_test.h"

using namespace band::test;

namespace {

const std::string kHead = "---\nname: s\ndescription: Does it. Use it in tests.\n";
const std::string kSkill = kHead + "---\n\n# It\n\n";

std::string script(const std::string& body) { return "set -eu\n" + body + "\necho '{}' > \"$OUTPUT_PATH\"\n"; }
SkillFiles run(const std::string& body) { return {{"scripts/go/run.sh", script(body)}}; }
std::string with_rules(const std::string& yaml) { return "---\nband: s\n" + yaml + "\n---\n"; }

void check(const std::vector<SkillCase>& cases) {
  for (const SkillCase& given : cases) {
    CAPTURE(std::string(given.about));
    CHECK(checked(given) == "");
  }
}

}  // namespace

TEST_CASE("unusual SKILL.md files that agents accept") {
  check({
      {"all keys of the specification",
       {{"SKILL.md", kHead +
                         "license: Apache-2.0\ncompatibility: needs git\nmetadata:\n  author: ann\n  version: \"1.0\"\n"
                         "allowed-tools: Bash(band call s/*) Read\n---\n"}},
       ""},
      {"folded text, comments and CRLF",
       {{"SKILL.md", "---\r\n# comment\r\nname: s\r\ndescription: >\r\n  Does it:\r\n  well.\r\n---\r\n\r\n# It\r\n"}},
       ""},
      {"a byte order mark, umlauts at the limit, no text",
       {{"SKILL.md", "\xef\xbb\xbf---\nname: \"s\"\ndescription: " +
                         [] {
                           std::string text;
                           for (int i = 0; i < 1024; ++i) text += "ü";
                           return text;
                         }() +
                         "\n---\n"}},
       ""},
      {"a name of digits", {}, "", "2fa-v3"},
      {"links to existing files, to the web, to a place in the text, and in code",
       {{"SKILL.md", kSkill + "[a](references/a.md) [p](references/100%.md) [b](./assets/b%20c.txt \"title\") "
                              "[c](https://example.com/x) [d](#it)\n"
                              "[e](mailto:ann@example.com) `[f](nowhere.md)`\n\n```\n[g](nowhere.md)\n```\n"},
        {"references/100%.md", "x"},
        {"references/a.md", "# A\n"},
        {"assets/b c.txt", "b\n"}},
       ""},
      {"examples with pipes, placeholders, standard input, several lines and parts left out",
       {{"SKILL.md", kSkill +
                         "    band call s/go --name World | jq .greeting\n    \"Hello\"\n\n"
                         "    band call s/go --name <NAME>\n    band call s/go --name NAME ...\n"
                         "    band call s/go --input - < input.json\n    band call s/go --input @input.json\n"
                         "    band call s/SCRIPT --name World\n    band call other/thing --what\n\n```console\n"
                         "$ band run s/go --name 'Two words' --tags a --tags b --dry-run\n"
                         "$ band run s/go --input '{\"name\": \"x\"}' --no-loud\n{\"greeting\": \"Hello\", ...}\n"
                         "$ band run s/go --name x\n{\n  \"greeting\": \"Hello\"\n}\n$ band run s/go --help\n```\n"},
        {"schemas/input/go.json",
         R"({"type": "object", "required": ["name"], "additionalProperties": false, "properties": {"name": {"type": "string"},
             "tags": {"type": "array", "items": {"type": "string"}}, "loud": {"type": "boolean", "default": true}}})"},
        {"schemas/output/go.json",
         R"({"type": "object", "required": ["greeting"], "properties": {"greeting": {"type": "string"}}})"}},
       ""},
  });
}

TEST_CASE("unusual schemas that are valid") {
  check({
      {"references with examples, in a cycle, and through several files",
       {{"schemas/input/go.json",
         R"({"type": "object", "properties": {"tree": {"$ref": "../defs/tree.json", "examples": [{"next": {}}]}}})"},
        {"schemas/defs/tree.json",
         R"({"type": "object", "properties": {"next": {"$ref": "#"}, "name": {"$ref": "name.json"}}})"},
        {"schemas/defs/name.json", R"({"type": "string", "enum": ["a", "b"], "default": "a", "examples": ["b"]})"}},
       ""},
      {"properties that are called like keywords, and keywords of one's own",
       {{"schemas/input/go.json",
         R"({"type": "object", "x-order": ["require"], "properties": {"require": {"type": "string"}, "enum": {"const": null},
             "examples": {"type": "array"}, "required": {"type": "boolean"}}, "required": ["enum"]})"}},
       ""},
      {"required names that patterns or other schemas bring",
       {{"schemas/input/go.json",
         R"({"type": "object", "required": ["x-a"], "patternProperties": {"^x-": {}}, "additionalProperties": false,
             "anyOf": [{"required": ["b"]}, {"required": ["x-a"]}]})"}},
       ""},
      {"values of several types, and conditions",
       {{"schemas/input/go.json",
         R"({"type": ["object", "null"], "properties": {"a": {"enum": [1, "one", null]}, "b": {"type": "number", "enum": [1, 2.5]}},
             "if": {"required": ["a"]}, "then": {"required": ["b"]}, "examples": [null, {"a": 1, "b": 2.5}]})"}},
       ""},
      {"a schema that the band names",
       {{"BAND.md", with_rules("contract: {input: schemas/input/shared.json}")},
        {"schemas/input/shared.json", R"({"type": "object"})"}},
       ""},
      {"true and {} as schemas", {{"schemas/input/go.json", "true"}, {"schemas/output/go.json", "{}"}}, ""},
  });
}

TEST_CASE("unusual scripts whose variables all have a value, or may have none") {
  check({
      {"bash's own and band's own variables",
       run("echo \"$BASH_VERSION $RANDOM ${PIPESTATUS[0]} $OSTYPE $HOME $TMPDIR $BAND_SCRIPT $LINENO $EPOCHSECONDS\"\n"
           "[[ x =~ (x) ]] && echo \"${BASH_REMATCH[1]} $HOSTNAME $SECONDS $UID $PWD $OLDPWD $_\""),
       ""},
      {"defaults, questions and assignments by expansion",
       run("echo \"${EDITOR:-none}${DEBUG+x}\"\n: \"${LEVEL:=3}\"\necho \"$LEVEL\"\n"
           "if [[ -n ${PROXY-} ]]; then echo \"$PROXY\"; fi\nif [[ -v OTHER ]]; then echo \"$OTHER\"; fi"),
       ""},
      {"read, mapfile, printf -v, getopts, arithmetic, loops, arrays and functions",
       run("while IFS== read -r key value; do echo \"$key$value\"; done < \"$INPUT_PATH\"\nmapfile -t lines < "
           "\"$INPUT_PATH\"\n"
           "printf -v stamp '%(%F)T' -1\nwhile getopts ab: option; do echo \"$option${OPTARG-}$OPTIND\"; done\n"
           "((total = 1, count++))\nfor ((i = 0; i < 3; i++)); do echo \"$i $total $count\"; done\n"
           "f() { local a b=$1; a=$b; echo \"$a\"; }; f x\ndeclare -A map=([x]=1)\necho \"${map[x]} ${lines[0]} "
           "$stamp\"\n"
           "read -r first rest <<< 'a b'\necho \"$first$rest\"\nselect word in a b; do echo \"$word\"; break; done < "
           "/dev/null"),
       ""},
      {"eval of what jq makes",
       run("eval \"$(jq -r 'to_entries[] | \"\\(.key)=\\(.value | @sh)\"' \"$INPUT_PATH\")\"\necho \"$title\""), ""},
      {"a variable that a shared file sets, and one that the script sets for it",
       {{"scripts/go/run.sh", script("mode=fast\n. \"${BAND_LIB}/a.sh\"\necho \"$made\"")},
        {"scripts/_lib/a.sh", "made=$mode\n"}},
       ""},
      {"text that only looks like variables",
       run("jq -n --arg x 1 '$x | \"\\($ENV.PATH)\"'\nawk '{ print $NF, $TOTAL }' < \"$INPUT_PATH\"\n"
           "cat << 'END'\n$NOTHING ${AT_ALL}\nEND\n# $COMMENT\necho '$SINGLE' \\$ESCAPED"),
       ""},
      {"a declared variable that only a program reads",
       {{"BAND.md", with_rules("allow: {cli: [\"gh pr list\"]}\nenv: [GITHUB_TOKEN]")},
        {"scripts/go/run.sh", script("gh pr list")}},
       ""},
      {"a declared variable that only jq reads, and one of a file next to the script",
       {{"BAND.md", with_rules("env: {SITE_KEY: {required: false}, MODE: {secret: false, default: x}}")},
        {"scripts/go/run.sh", script("jq -n '$ENV.SITE_KEY'\nbash \"$(dirname \"$0\")/part.sh\"")},
        {"scripts/go/part.sh", "echo \"$MODE\"\n"}},
       ""},
  });
}

TEST_CASE("unusual scripts whose files and commands are open, or need no rule") {
  check({
      {"scratch files in the workspace, in /tmp and in /dev",
       run("sort \"$INPUT_PATH\" > sorted.txt\nhead -n 5 sorted.txt > /tmp/x\ncat /tmp/x 2> /dev/null\nrm sorted.txt\n"
           "exec 3> /dev/null\ncat /etc/passwd /proc/self/status > /dev/null"),
       ""},
      {"files of the skill",
       {{"scripts/go/run.sh",
         script("cat \"$(dirname \"$0\")/a.txt\" \"$BAND_LIB/b.txt\"\njq -f \"${0%/*}/c.jq\" \"$INPUT_PATH\"")},
        {"scripts/go/a.txt", "a\n"},
        {"scripts/go/c.jq", ".\n"},
        {"scripts/_lib/b.txt", "b\n"}},
       ""},
      {"files that rules open, with wildcards",
       {{"BAND.md",
         with_rules(
             "allow: {read: [\"./data/**\", \"./out/*.txt\", /srv/list], write: [\"./out/*.txt\", \"./data/*.txt\"]}")},
        {"scripts/go/run.sh",
         script("cat data/a/b.csv ./data/c.txt < /srv/list > out/x.txt\ngrep -r x data\ncp data/c.txt out/y.txt")}},
       ""},
      {"files of another directory, and of an archive",
       run("cd /tmp\ntar -xf \"$INPUT_PATH\" || true\ncat part/one.txt > two.txt"), ""},
      {"files that may be missing",
       run("if [ -f /srv/settings ]; then . /srv/settings; fi\nif [[ -r ./names.txt ]]; then cat names.txt; fi\n"
           "test -e /srv/more && cat /srv/more"),
       ""},
      {"options with values that are not files",
       run("head -n 5 -c 10 < \"$INPUT_PATH\"\nsort -t , -k 2 < \"$INPUT_PATH\"\ntail --lines=3 < \"$INPUT_PATH\"\n"
           "jq --arg file a.json --indent 2 .x < \"$INPUT_PATH\"\ngrep -e a.txt -m 3 < \"$INPUT_PATH\"\nprintf '%s' > "
           "/dev/stderr"),
       ""},
      {"a command that may be missing",
       run("if command -v rg > /dev/null; then rg -n x; else grep -rn x . || true; fi\ntype -p fd > /dev/null && fd x"),
       ""},
      {"functions with the names of commands, defined later, and in a shared file",
       {{"scripts/go/run.sh", script(". \"$BAND_LIB/a.sh\"\nmain() { curl x; wget; }\nwget() { :; }\nmain")},
        {"scripts/_lib/a.sh", "curl() { echo \"$1\"; }\n"}},
       ""},
      {"declared commands behind others",
       {{"BAND.md", with_rules("allow: {cli: [\"gh pr *\", /opt/x/tool, \"git log **\"]}")},
        {"scripts/go/run.sh", script("A=1 exec gh pr list\nfind . -exec git log {} \\; | xargs -0 -n 1 gh pr view\n"
                                     "env -u B C=1 tool\ncommand git log -1\ntime -p nice -n 5 git log")}},
       ""},
      {"words that are not commands",
       run("case $1 in start | stop) echo x ;; (restart) : ;; *) echo y ;; esac || true\n"
           "[[ $1 =~ ^(gh|git)$ ]] && echo z\narray=(gh git\n  docker)\necho \"${array[@]}\"\n"
           "cat << END\ngh $(date)\nEND\nfor tool in gh git; do echo \"$tool\"; done\ncoproc cat\n"),
       ""},
      {"a script of one word, and a file in an unknown language next to it",
       {{"scripts/go/run.sh", "jq -n '{}' > \"$OUTPUT_PATH\""}, {"scripts/go/a.py", "print($X)\n"}},
       ""},
  });
}
