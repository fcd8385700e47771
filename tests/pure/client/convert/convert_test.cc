// A whole skill converted, in memory (client/convert/convert.h), and its files on the disk (convert_files.h).
#include "client/convert/convert.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "client/commands/convert_files.h"
#include "client/convert/script.h"
#include "schemas/band/band.h"
#include "schemas/core/json.h"
#include "tests/pure/client/client_test.h"
#include "tests/pure/client/convert/uncommented.h"
#include "tests/pure/cpu_seconds.h"

using namespace band::client;
using band::test::TempDir;

namespace {

using Files = std::map<std::string, std::string>;

band::Result<Conversion> convert(const Files& files) {
  std::vector<SkillFile> source;
  for (const auto& [path, content] : files) source.push_back({path, content});
  return convert_skill(source, "made", {"input", "verbose"}, "src", "/out/made");
}

Files made_by(const Files& files) {
  auto made = convert(files);
  REQUIRE_MESSAGE(made.ok(), made.error().message());
  Files all;
  for (const SkillFile& file : made->files) all[file.path] = file.content;
  return all;
}

const std::string kSkill = "---\nname: made\ndescription: x\n---\n# T\n";

std::string notes_of(const Files& files) {
  std::string text;
  const auto made = convert(files);
  for (const band::Diagnostic& note : made->notes) text += note.text() + "\n";
  return text;
}

std::vector<std::string> patterns(const band::RuleSet& rules) {
  std::vector<std::string> texts;
  for (const band::Rule& rule : rules) texts.push_back(rule.pattern);
  return texts;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("band can read every generated file, for any text of the script") {
  const std::string odd =
      "p.add_argument('--a', help='it\\'s \\\"x\\\" $(y) `z` \\n --- # \\u202e', choices=['\\'', '\"', '\\n'])\n"
      "p.add_argument('--b\\'; touch x; \\'')\n";
  for (const std::string& extra : {odd.substr(0, odd.find("p.add_argument('--b")), odd}) {
    const Files files = made_by(
        {{"SKILL.md", kSkill},
         {"scripts/x.py", "'''it's: \"x\" # $(y)\n'''\nimport argparse\np = argparse.ArgumentParser()\n" + extra}});
    std::vector<band::Diagnostic> errors;
    CHECK(band::parse_band(files.at("scripts/x/BAND.md"), "BAND.md", errors));
    CHECK(errors.empty());
    for (const char* side : {"schemas/input/x.json", "schemas/output/x.json"})
      CHECK(band::parse_json(files.at(side), side).ok());
    const std::string& run = files.at("scripts/x/run.sh");
    CHECK(std::count(run.begin(), run.end(), '\'') == 2);
    CHECK(!has(run, "touch"));
    CHECK(!has(run, "@FILE"));
  }
}

TEST_CASE("the scripts are the files that the text names and that no other file uses") {
  const auto made = convert({{"SKILL.md", kSkill + "`scripts/both.py` `scripts/sub/deep.py`"},
                             {"scripts/both.py", "x = 1\n"},
                             {"scripts/main.py", "import both, lib, sub\n"},
                             {"scripts/lib.py", "import more\nimport requests\n"},
                             {"scripts/more.py", "x = os.environ['TOKEN']\n"},
                             {"scripts/test_main.py", "import main\n"},
                             {"scripts/__init__.py", ""},
                             {"scripts/run.rb", "puts 1"},
                             {"scripts/run.pl", "print 1"},
                             {"scripts/data.json", "{}"},
                             {"scripts/tool", "#!/bin/sh\necho\n"},
                             {"scripts/sub/deep.py", ""},
                             {"scripts/sub/other.py", ""}});
  REQUIRE_MESSAGE(made.ok(), made.error().message());
  std::vector<std::string> names;
  for (const ConvertedScript& script : made->scripts) names.push_back(script.name);
  CHECK(names == std::vector<std::string>{"both", "main", "run", "run-rb", "sub-deep", "tool"});
  CHECK(made->errors.empty());
  for (const SkillFile& file : made->files)
    if (file.path == "scripts/main/BAND.md")
      CHECK(has(file.content, "#   TOKEN: {required: false}  # scripts/more.py:1\n"));
  CHECK(std::any_of(made->notes.begin(), made->notes.end(),
                    [](const auto& note) { return note.file == "src/scripts/lib.py" && note.line == 2; }));
}

TEST_CASE("names that a sourced file defines are neither programs nor environment variables") {
  const Files files = made_by({{"SKILL.md", kSkill},
                               {"scripts/x.sh", ". ./lib.sh\nWORDS=1\nfetch\nfind_it() { :; }\necho $PLACE $TOKEN\n"},
                               {"scripts/lib.sh", "PLACE=a\nfetch() { curl $WORDS; find_it; }\n"}});
  const std::string& band = files.at("scripts/x/BAND.md");
  for (const char* part : {"\"curl *\"  # scripts/lib.sh:2", "#   TOKEN: {required: false}"}) CHECK(has(band, part));
  for (const char* part : {"fetch", "find_it", "WORDS", "PLACE"}) CHECK(!has(band, part));
}

TEST_CASE("only files that a caller names are open; names from the text are comments") {
  const Files files = made_by({{"SKILL.md", kSkill},
                               {"scripts/x.py",
                                "import argparse, subprocess, os\np = "
                                "argparse.ArgumentParser()\np.add_argument('file')\np.add_argument('--output')\n"
                                "p.add_argument('--out-dir')\nsubprocess.run(['git', 'log'])\nopen('./Makefile', "
                                "'w')\nos.environ['TOKEN']\n'https://evil.example'\n"}});
  const std::string& band = files.at("scripts/x/BAND.md");
  std::vector<band::Diagnostic> errors;
  const auto parsed = band::parse_band(band, "BAND.md", errors);
  REQUIRE(parsed);
  CHECK(patterns(parsed->allow_cli) == std::vector<std::string>{"python3 /band/skill/lib/x.py *"});
  CHECK(patterns(parsed->allow_read) == std::vector<std::string>{"{file}", "{output}"});
  CHECK(patterns(parsed->allow_write) == std::vector<std::string>{"{output}"});
  CHECK(parsed->allow_net.empty());
  CHECK(parsed->env.empty());
  for (const char* comment : {"# - \"git *\"  # scripts/x.py:6", "# - \"./Makefile\"", "#   - \"evil.example\"",
                              "#   TOKEN: {required: false}"})
    CHECK(has(band, comment));
  // With every `#` of a rule removed it is still a valid band.
  const std::string open = band::test::uncommented(band);
  CHECK_MESSAGE(band::parse_band(open, "BAND.md", errors), open);
  CHECK_MESSAGE(errors.empty(), open);
}

TEST_CASE("a default that looks like a closed path is not used in the schema, for any name of the property") {
  const Files files = made_by({{"SKILL.md", kSkill}, {"scripts/x.py", R"(
import argparse
p = argparse.ArgumentParser()
p.add_argument("--settings", default=".env"); p.add_argument("--keys", default="/etc/keys")
p.add_argument("--rc", default="~/.rc"); p.add_argument("--deep", default="a/.b"); p.add_argument("--mode", default="fast")
)"}});
  const std::string& schema = files.at("schemas/input/x.json");
  CHECK(has(schema, R"("default": "fast")"));
  for (const char* closed :
       {R"("default": ".env")", R"("default": "/etc/keys")", R"("default": "~/.rc")", R"("default": "a/.b")"})
    CHECK_MESSAGE(!has(schema, closed), schema);
}

TEST_CASE("a file or directory that the caller does not name stays closed, and a note names the line that opens it") {
  const Files source{{"SKILL.md", kSkill}, {"scripts/x.py", R"(
import argparse
p = argparse.ArgumentParser()
p.add_argument("--config", default=".env", help="the settings")
p.add_argument("--report", default="out/r.md"); p.add_argument("--root"); p.add_argument("--data-dir", default="data")
p.add_argument("--log", default="../x.log"); p.add_argument("--in-dir", default="./."); p.add_argument("--csv", default="./a//b")
p.add_argument("--top", default=3, type=int)
)"}};
  const Files files = made_by(source);
  const std::string &band = files.at("scripts/x/BAND.md"), &schema = files.at("schemas/input/x.json");
  std::vector<band::Diagnostic> errors;
  const auto parsed = band::parse_band(band, "BAND.md", errors);
  REQUIRE(parsed);
  CHECK(patterns(parsed->allow_read) == std::vector<std::string>{"{config}", "{report}", "{log}", "{csv}"});
  CHECK(patterns(parsed->allow_write) == std::vector<std::string>{"{report}"});
  for (const char* line : {"    # - \"./.env\"  #", "    # - {path: \"./out/r.md\", optional: true}  #",
                           "    # - \"./out/r.md\"  #", "    # - \"./DIRECTORY/**\"  #", "    # - \"./data/**\"  #"})
    CHECK_MESSAGE(has(band, line), band);
  for (const char* part : {"././", "a//b"}) CHECK_MESSAGE(!has(band, part), band);
  const std::string open = band::test::uncommented(band);
  CHECK_MESSAGE(band::parse_band(open, "BAND.md", errors), open);
  CHECK_MESSAGE(errors.empty(), open);
  CHECK(has(schema, R"("description": "the settings; the script's default: \".env\"")"));
  CHECK(schema.find("\"default\"") == schema.find("\"default\": 3"));
  CHECK(schema.find("\"default\"") == schema.rfind("\"default\""));
  CHECK(has(files.at("scripts/x/run.sh"), R"(directories_of '(.report // "./out/r.md")')"));
  const std::string notes = notes_of(source);
  for (const char* note :
       {"BAND.md:9: without `config` the script uses its default \".env\", which the script may not read; remove the "
        "`#` "
        "here to allow it",
        "`log` is allowed as a file that the script reads; check this line; without `log` the script uses its default "
        "\"../x.log\", which no line allows",
        "`root` names a directory that the script reads; this directory is not allowed; write its name in this line; "
        "remove "
        "the "
        "`#` here to allow it"})
    CHECK_MESSAGE(has(notes, note), notes);
  const std::string alone = notes_of({{"SKILL.md", kSkill}, {"scripts/x.sh", "root=$1\ncat \"$root/x\"\n"}});
  CHECK_MESSAGE(has(alone, "remove the `#` here and before `read:` and `allow:` to allow it"), alone);
}

TEST_CASE("the jq filter depends on the form of each argument") {
  const Files files = made_by({{"SKILL.md", kSkill}, {"scripts/x.py", R"(
import argparse
p = argparse.ArgumentParser()
p.add_argument("--input"); p.add_argument("-n", type=int); p.add_argument("--tag", action="append")
p.add_argument("-v", "--verbose", action="count"); p.add_argument("--all", action="store_true")
p.add_argument("--names", nargs="+"); p.add_argument("a"); p.add_argument("b", nargs="?"); p.add_argument("c", nargs="?")
)"}});
  const std::string& run = files.at("scripts/x/run.sh");
  for (const char* words :
       {R"x((.script_input | values | "--input=\(.)"))x",
        R"x((.n | values | tostring | if startswith("-") then "-n\(.)" else "-n", . end))x",
        R"x((.tag | values | .[] | "--tag=\(.)"))x", R"x((.script_verbose | values | range(.) | "--verbose"))x",
        R"x((if .all then "--all" else empty end))x", R"x((.names | values | "--names", .[]))x",
        R"x(then "--" else empty end))x"})
    CHECK_MESSAGE(has(run, words), words << "\n" << run);
  const std::string& schema = files.at("schemas/input/x.json");
  CHECK(has(schema, R"("required": ["a"])"));
  CHECK(has(schema, R"("c": ["b"])"));
  CHECK(has(schema, R"("minimum": -9007199254740991)"));
}

TEST_CASE("SKILL.md keeps its frontmatter, and has the calls before its first section") {
  const std::string text =
      "---\r\nname: old\r\ndescription: >\r\n  d\r\nmetadata: {a: b}\r\n---\r\nIntro\r\n```\n## no section\n```\n## "
      "Use\npython scripts/x.py a scripts/x.pyc\n";
  const Files files = made_by({{"SKILL.md", text}, {"scripts/x.py", ""}});
  const std::string& skill = files.at("SKILL.md");
  CHECK(skill.starts_with(
      "---\r\nname: made\r\ndescription: >\r\n  d\r\nmetadata: {a: b}\r\nallowed-tools: Bash(band call "
      "made/*)\r\n---\r\nIntro\r\n"));
  CHECK(std::count(skill.begin(), skill.end(), '\r') == std::count(skill.begin(), skill.end(), '\n'));
  CHECK(skill.find("## With band") > skill.find("## no section"));
  CHECK(skill.find("## With band") < skill.find("## Use"));
  const std::string notes = notes_of({{"SKILL.md", text}, {"scripts/x.py", ""}});
  CHECK(has(notes, "/out/made/SKILL.md:2:1: the name `old` became `made`"));
  CHECK(has(notes, ":8: names scripts/x.py"));
  CHECK(!has(notes, ":23: names"));
  CHECK(has(notes_of({{"SKILL.md", "---\nname: made\nallowed-tools: Read\n---\n"}, {"scripts/x.py", ""}}),
            "/out/made/SKILL.md:3:1: `allowed-tools` is now only `Bash(band call made/*)`; removed: `Read`;"));
  CHECK(made_by({{"SKILL.md", "text"}, {"scripts/x.py", ""}}).at("SKILL.md").starts_with("---\nname: made\n"));
}

TEST_CASE("a script that names a directory which no sandbox has is noted with the place and the path to write") {
  const Files files{{"SKILL.md", kSkill}, {"scripts/x.py", "# x\nopen(\"data/a.csv\")\n"}, {"data/a.csv", ""}};
  CHECK(has(notes_of(files),
            "src/scripts/x.py:2:7: names `data/`, but a sandbox contains only the directories scripts, assets and "
            "references of the skill; move the directory to `assets/data/`, and write this path here\n"));
}

TEST_CASE("the frontmatter of SKILL.md is read as YAML") {
  struct Row {
    const char *frontmatter, *becomes, *note;
  };
  for (const Row& row :
       {Row{"name: made # x\ndescription: d\n",
            "name: made # x\ndescription: d\nallowed-tools: Bash(band call made/*)\n", ""},
        Row{"name: csv # x\ndescription: d\nallowed-tools: [Read, Bash(band call made/*)]\n",
            "name: made\ndescription: d\nallowed-tools: Bash(band call made/*)\n",
            ":2:1: the name `csv` became `made`;"},
        Row{"description: d\nname: >-\n  csv\n\n  tools\nallowed-tools:\n  - Read\n",
            "description: d\nname: made\nallowed-tools: Bash(band call made/*)\n", ":4:1: `allowed-tools` is "},
        Row{"metadata:\n  name: inner\n",
            "name: made\nmetadata:\n  name: inner\nallowed-tools: Bash(band call made/*)\n",
            ":1: the frontmatter has no `description`;"},
        Row{"{name: csv, description: d}\n", "{name: csv, description: d}\n", ":1:1: the frontmatter was not changed"},
        Row{"name: csv\ndescription: Use when: x\n", "name: csv\ndescription: Use when: x\n",
            ":1:1: the frontmatter was not changed"}}) {
    CAPTURE(row.frontmatter);
    const Files files{{"SKILL.md", "---\n" + std::string(row.frontmatter) + "---\n## Use\n"}, {"scripts/x.py", ""}};
    const std::string made = made_by(files).at("SKILL.md");
    CHECK(made.substr(0, made.find("\n## With band")) == "---\n" + std::string(row.becomes) + "---\n");
    const std::string notes = notes_of(files);
    CHECK(has(notes, row.note));
    CHECK((*row.note != '\0' || !has(notes, "SKILL.md")));
  }
}

TEST_CASE(
    "a skill that was converted allows an agent the calls of band and no others, and a note names the removed ones") {
  const std::string tools = "allowed-tools: Bash(band call made/*)\n";
  struct Row {
    const char *entry, *behind, *removed;
  };
  for (const Row& row :
       {Row{"\"allowed-tools\": Bash(*)\n", "", "`Bash(*)`"},
        Row{"allowed-tools : Read, Bash(band call made/*), Bash(*)\n", "", "`Read`, `Bash(*)`"},
        Row{"allowed-tools: Bash(git log:*, x) Read\n", "# license\nlicense: MIT\n", "`Bash(git log:*, x)`, `Read`"},
        Row{"allowed-tools:\n# all\n- Bash(band call made/*)\n# more\n- Bash(*)\n", "# c\n\n", "`Bash(*)`"},
        Row{"allowed-tools: >\n\n  Bash(band\n  call made/*)\n  Bash(*\n", "a: b\n", "`Bash(*`"},
        Row{"allowed-tools: \"Read\n\n  Write\"\n", "a: b\n", "`Read`, `Write`"},
        Row{"allowed-tools: {Bash: x}\n", "", "`{\"Bash\":\"x\"}`"},
        Row{"allowed-tools: [Bash(band call made/*)]\n", "", ""}, Row{"allowed-tools:\n", "a: b\n", "`null`"}}) {
    CAPTURE(row.entry);
    for (const bool first : {false, true}) {
      const std::string known = "description: d\n", name = "name: >\n  old\n  text\n";
      const auto skill = [&](const std::string& named, const std::string& entry) {
        const std::string lines = entry + row.behind;
        std::string text = "---\n";
        for (const std::string& part : first ? std::vector{lines, named, known} : std::vector{named, known, lines})
          text += part;
        return text += "---\nIntro\n";
      };
      const Files files{{"SKILL.md", skill(name, row.entry)}, {"scripts/x.py", ""}};
      const std::string made = made_by(files).at("SKILL.md"), notes = notes_of(files);
      CHECK(made.substr(0, made.find("\n## With band")) == skill("name: made\n", tools));
      const std::string note =
          (first ? "SKILL.md:2:1: " : "SKILL.md:4:1: ") +
          ("`allowed-tools` is now only `Bash(band call made/*)`; removed: " + std::string(row.removed) + ";");
      CHECK_MESSAGE(has(notes, note) == (*row.removed != '\0'), notes);
      CHECK((*row.removed != '\0' || !has(notes, "removed: ")));
    }
  }
}

TEST_CASE("the language decides whether a script is converted, as described in docs/skills.md") {
  const std::vector<std::pair<std::string, std::string>> converted{
      {"js", "node"}, {"mjs", "node"}, {"cjs", "node"}, {"rb", "ruby"}, {"pl", "perl"}};
  for (const auto& [ending, interpreter] : converted) {
    std::string usage = "// usage: x.";
    usage.append(ending).append(" [--top N] FILE\nENV['TOKEN']\n");
    const Files source{{"SKILL.md", kSkill}, {"scripts/x." + ending, usage}};
    const Files files = made_by(source);
    std::string pattern = interpreter;
    pattern.append(" /band/skill/lib/x.").append(ending).append(" *");
    CHECK(has(files.at("scripts/x/BAND.md"), "\"" + pattern + "\""));
    CHECK(has(files.at("schemas/input/x.json"), "\"top\""));
    const Files bare{{"SKILL.md", kSkill}, {"scripts/x." + ending, "1\n"}};
    CHECK(has(made_by(bare).at("schemas/input/x.json"), "\"args\""));
    CHECK(has(notes_of(bare), "`band convert` cannot read the arguments of a script for " + interpreter));
  }
  std::vector<std::pair<std::string, std::string>> left{{"old.py", "#!/usr/bin/python2\n"}};
  for (const char* ending : {"ts", "ps1", "go", "lua", "php", "R"})
    left.emplace_back(std::string("x.") + ending, "1\n");
  for (const char* shell : {"zsh", "fish", "ksh", "csh"}) left.emplace_back("x", std::string("#!/bin/") + shell + "\n");
  for (const auto& source : left) {
    const auto& [name, content] = source;
    CAPTURE(source.second);
    const auto made = convert({{"SKILL.md", kSkill}, {"scripts/ok.py", ""}, {"scripts/" + name, content}});
    REQUIRE(made.ok());
    REQUIRE(made->errors.size() == 1);
    CHECK(has(made->errors[0].text(), "src/scripts/" + name + ": was not converted: "));
    CHECK(made->scripts.size() == 1);
  }
}

TEST_CASE("a script that cannot be converted is refused with a remedy") {
  struct Row {
    Files files;
    const char* says;
  };
  for (const Row& row :
       {Row{{{"scripts/x.py", ""}}, "src has no SKILL.md"}, Row{{{"SKILL.md", ""}}, "no script in scripts/"},
        Row{{{"SKILL.md", ""}, {"x.py", ""}}, "no script in scripts/"},
        Row{{{"SKILL.md", ""}, {"scripts/x.ts", ""}}, " that band can run"},
        Row{{{"SKILL.md", ""}, {"scripts/x.sh", "jq . > \"$OUTPUT_PATH\""}}, " that band can run"},
        Row{{{"SKILL.md", ""}, {"BAND.md", ""}, {"scripts/x.py", ""}}, "already written for band"},
        Row{{{"SKILL.md", ""}, {"scripts/x/run.sh", ""}}, "already written for band"},
        Row{{{"SKILL.md", ""}, {"scripts/x.py", std::string(8u << 20, ' ')}, {"scripts/y.py", ""}}, "8 MiB"}}) {
    const auto made = convert(row.files);
    REQUIRE(!made.ok());
    CHECK_MESSAGE(has(made.error().message(), row.says), made.error().message());
    CHECK(!made.error().hint.empty());
  }
  const band::Diagnostic place{"", 7, 0, "syntax error", "x"};
  const auto broken = convert_skill({{"SKILL.md", ""}, {"scripts/x.sh", "print(2)", false, false, place}}, "made", {},
                                    "src", "/out/made");
  REQUIRE(!broken.ok());
  CHECK(has(broken.error().hint, "src/scripts/x.sh:7: was not converted: syntax error; correct it, and convert again"));
  const auto odd =
      convert({{"SKILL.md", ""}, {"scripts/a b.py", ""}, {"scripts/z", "#!/bin/zsh\n"}, {"scripts/good.sh", "echo"}});
  REQUIRE(odd.ok());
  REQUIRE(odd->errors.size() == 2);
  CHECK(odd->errors[0].text() ==
        "src/scripts/a b.py: was not converted: its name has other characters than A-Z a-z 0-9 . _ - /; give it "
        "another name");
}

TEST_CASE("the time to read a hostile text is linear in its length") {
  const auto repeated = [](const std::string& part) {
    std::string text;
    while (text.size() < 200'000) text += part;
    return text;
  };
  for (const char* part : {"(", "open(", "p.add_argument(", "json.dump(", "a.", "x=", "\"\"\"", "subprocess.run([",
                           "scripts/x.py ", "https://a.b "}) {
    CAPTURE(part);
    const std::string text = "import argparse\np = argparse.ArgumentParser()\n" + repeated(part);
    CHECK(band::test::cpu_seconds_of([&] { (void)convert({{"SKILL.md", text}, {"scripts/x.py", text}}); }) < 2);
  }
  for (const char* part : {"$(", "${", "`", "\"$(", "<<E ", "case $1 in -a) ", "read x\n", "f() {\n", "a=$1\n",
                           "# usage: x.sh [", "exec ", "> $a\n"}) {
    CAPTURE(part);
    CHECK(band::test::cpu_seconds_of([&] { (void)convert({{"SKILL.md", ""}, {"scripts/x.sh", repeated(part)}}); }) < 2);
  }
}

TEST_CASE("links are followed inside of the skill only") {
  const TempDir directory;
  directory.write("skill/SKILL.md", "x", 0600);
  directory.write("skill/scripts/a.py", "a", 0755);
  directory.write("skill/.git/config", "x");
  directory.link("scripts/a.py", "skill/b.py");
  std::vector<band::Diagnostic> notes;
  const auto files = read_skill_files(directory.path("skill"), "skill", notes);
  REQUIRE(files.ok());
  REQUIRE(files->size() == 3);
  CHECK((*files)[1].path == "b.py");
  CHECK((*files)[1].content == "a");
  CHECK((*files)[2].executable);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].text() ==
        "skill/.git: was not copied: `band convert` does not copy a file or directory with this name; "
        "rename it to `git` if a script "
        "reads it");
  for (const char* target : {"../outside", "/etc/passwd", "self", ".."}) {
    directory.link(target, "skill/self");
    CHECK(!read_skill_files(directory.path("skill"), "skill", notes).ok());
    band::test::fs::remove(directory.path("skill/self"));
  }
  directory.link(".", "skill/self");
  CHECK(!read_skill_files(directory.path("skill"), "skill", notes).ok());
}

TEST_CASE("a skill is written completely, or nothing is written") {
  const TempDir directory;
  const std::vector<SkillFile> files{{"SKILL.md", "x"}, {"scripts/a/run.sh", "y", true}};
  int asked = 0;
  CHECK(!write_skill_files(directory.path("new"), files, [&] { return ++asked == 2; }).ok());
  CHECK(directory.names().empty());
  CHECK(!write_skill_files(directory.path("new"), {{"a", ""}, {"a", ""}}, [] { return false; }).ok());
  CHECK(directory.names().empty());
  directory.write("full/x", "mine");
  CHECK(!write_skill_files(directory.path("full"), files, [] { return false; }).ok());
  CHECK(directory.names() == std::vector<std::string>{"full", "full/x"});
  CHECK(write_skill_files(directory.path("new"), files, [] { return false; }).ok());
  CHECK(directory.read("new/scripts/a/run.sh") == "y");
  CHECK((directory.mode("new/scripts/a/run.sh") & 0100) != 0);
  CHECK((directory.mode("new") & 0700) == 0700);
}
