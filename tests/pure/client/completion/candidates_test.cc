#include "client/completion/candidates.h"

#include <doctest/doctest.h>

#include "client/completion/completion_script.h"
#include "client/terminal/verbs.h"
#include "tests/pure/client/client_test.h"
#include "tests/pure/cpu_seconds.h"

using namespace band;
using namespace band::client;
using namespace band::test;

namespace {

using Words = std::vector<std::string>;
using Ask = Completion::Ask;

// A directory with skills, and a home without skills.
struct Skills {
  TempDir dir, home;
  EnvVar listed{"BAND_SKILLS", dir.path()}, at_home{"HOME", home.path()},
      config{"BAND_CONFIG_DIR", home.path("config")};

  void add(const std::string& skill, const std::string& script, const std::string& properties,
           const std::string& rules = "") const {
    dir.write(skill + "/SKILL.md", "---\nname: " + skill + "\ndescription: About " + skill + "\n---\n");
    dir.write(skill + "/scripts/" + script + "/run.sh", "true\n");
    dir.write(skill + "/scripts/" + script + "/BAND.md",
              "---\nband: " + skill + "\ndescription: Does " + script + "\n" + rules + "\n---\n");
    dir.write(skill + "/schemas/input/" + script + ".json",
              R"({"type": "object", "properties": {)" + properties + "}}");
  }
};

Words words_of(const Completion& completion) {
  Words words;
  for (const Candidate& one : completion.candidates) words.push_back(one.word);
  return words;
}

Words offered(const Words& words) { return words_of(complete(words, false)); }

bool offers(const Words& words, const std::string& word) {
  const Words all = offered(words);
  return std::find(all.begin(), all.end(), word) != all.end();
}

Ask asked(const Words& words) { return complete(words, false).ask; }

}  // namespace

TEST_CASE("commands with the typed prefix are offered with their description, except those for programs") {
  const Completion runs = complete({"ru"}, true);
  REQUIRE(runs.candidates.size() == 1);
  CHECK(runs.candidates[0].word == "run");
  CHECK(runs.candidates[0].about == find_verb("run")->about);
  for (const VerbInfo& verb : verbs()) {
    CAPTURE(verb.name);
    CHECK(offers({""}, std::string(verb.name)) == (verb.group != VerbGroup::Hidden));
    CHECK(offers({"help", ""}, std::string(verb.name)) == (verb.group != VerbGroup::Hidden));
  }
  CHECK(offers({}, "run"));
  CHECK(offered({"help", "exit"}) == Words{"exit-codes"});
  CHECK(offered({"-"}) == Words{"--help", "--version"});
  CHECK(offered({"no-such-command", ""}).empty());
}

TEST_CASE("exactly the flags that the parser accepts for a command are offered") {
  for (const VerbInfo& verb : verbs()) {
    CAPTURE(verb.name);
    Words wanted;
    for (const std::string& flag : flags_of(verb.name)) wanted.push_back("--" + flag);
    CHECK(offered({std::string(verb.name), "--"}) == wanted);
  }
}

TEST_CASE("a flag that is already given is offered again only if it can be repeated") {
  CHECK(!offers({"exec", "--band", "x", "--"}, "--band"));
  CHECK(offers({"exec", "--read", "x", "--"}, "--read"));
  CHECK(!offers({"run", "a/b", "--json", "--"}, "--json"));
}

TEST_CASE("skills are offered first, then the scripts of the selected one") {
  const Skills skills;
  skills.add("alpha", "go", "");
  skills.add("alpha", "stop", "");
  skills.add("alps", "climb", "");
  skills.add("beta", "go", "");
  CHECK(offered({"run", "al"}) == Words{"alpha/", "alps/"});
  CHECK(offered({"run", "alph"}) == Words{"alpha/go", "alpha/stop"});
  CHECK(offered({"shell", "alpha/s"}) == Words{"alpha/stop"});
  CHECK(offered({"run", "alpha/go", "x"}).empty());
  CHECK(offered({"run", "gamma/"}).empty());
  CHECK(offered({"new", "script", "al"}) == Words{"alpha/", "alps/"});
  CHECK(offered({"new", ""}) == Words{"skill", "script"});
  const Completion described = complete({"run", "alpha/g"}, true);
  REQUIRE(described.candidates.size() == 1);
  CHECK(described.candidates[0].about == "Does go");
  CHECK(complete({"run", "alp"}, true).candidates[0].about == "About alpha");
}

TEST_CASE("band call completes only installed skills, band run also those of --skills") {
  const Skills skills;
  skills.add("alpha", "go", R"("name": {"type": "string"})");
  const TempDir more;
  more.write("extra/scripts/go/run.sh", "true\n");
  CHECK(offered({"run", "alpha/"}) == Words{"alpha/go"});  // the control
  CHECK(offered({"call", "alpha/"}).empty());
  CHECK(offered({"call", "alpha/go", "--na"}).empty());
  skills.home.write(".band/skills/own/scripts/go/run.sh", "true\n");
  CHECK(offered({"call", "own/"}) == Words{"own/go"});
  CHECK(offered({"run", "extra/"}).empty());
  for (const Words& flag : {Words{"run", "--skills", more.path()}, Words{"run", "--skills=" + more.path()}}) {
    Words words = flag;
    words.push_back("extra/");
    CHECK(offered(words) == Words{"extra/go"});
  }
  CHECK(offered({"run", "--skills", "/nothing/there", "alpha/"}) == Words{"alpha/go"});
}

TEST_CASE("after a script its parameters are offered, and after a parameter the values of its schema") {
  const Skills skills;
  skills.add("alpha", "go",
             R"("noisyRun": {"type": "boolean", "description": "Do nothing"}, "level": {"enum": ["low", "high", 5]},
                "deep": {"$ref": "#/definitions/deep"}, "tags": {"type": "array", "items": {"enum": ["a", "b"]}},
                "target": {"type": "string"}, "name": {"type": "string"}, "place": {"type": "string"}, "outFile": {"type": "string"}})"
             R"(, "definitions": {"deep": {"anyOf": [{"const": "x"}, {"enum": ["y"]}]})",
             "allow: {read: [\"{place}\"]}");
  const Words script = {"run", "alpha/go"};
  const auto behind = [&](Words more) {
    more.insert(more.begin(), script.begin(), script.end());
    return more;
  };
  // --target is a flag of band.
  CHECK(offered(behind({""})) ==
        Words{"--noisy-run", "--no-noisy-run", "--level", "--deep", "--tags", "--name", "--place", "--out-file"});
  CHECK(offered(behind({"--le"})) == Words{"--level"});
  CHECK(offers(behind({"--"}), "--json"));
  CHECK(offered(behind({"--level", ""})) == Words{"low", "high", "5"});
  CHECK(offered(behind({"--level", "h"})) == Words{"high"});
  CHECK(offered(behind({"--level=h"})) == Words{"--level=high"});
  CHECK(offered(behind({"--deep", ""})) == Words{"x", "y"});
  CHECK(offered(behind({"--noisy-run", "t"})) == Words{"true"});
  CHECK(offers(behind({"--noisy-run", ""}), "--level"));  // it needs no value
  CHECK(!offers(behind({"--level", "low", ""}), "--level"));
  CHECK(!offers(behind({"--no-noisy-run", ""}), "--noisy-run"));
  CHECK(offered(behind({"--tags", "a", "--tags", ""})) == Words{"a", "b"});
  CHECK(offers(behind({"--tags", "a", ""}), "--tags"));
  CHECK(offered(behind({"--noisyRun", "f"})) == Words{"false"});  // in the spelling of the schema
  CHECK(complete(behind({"--nois"}), true).candidates.at(0).about == "Do nothing");
  CHECK(asked(behind({"--name", ""})) == Ask::Nothing);
  CHECK(asked(behind({"--place", ""})) == Ask::Files);  // a placeholder of the band names it
  CHECK(asked(behind({"--out-file", ""})) == Ask::Files);
  const Completion path = complete(behind({"--out-file=src/m"}), false);
  CHECK(path.ask == Ask::Files);
  CHECK(path.behind == 11);
}

TEST_CASE("a broken script has no parameters, and a broken skill does not hide others") {
  const Skills skills;
  skills.add("alpha", "go", R"("name": {"type": "nonsense"})");
  skills.add("beta", "go", R"("name": {"type": "string"})");
  skills.dir.write("gamma/scripts/go/run.sh", "true\n");
  skills.dir.write("gamma/BAND.md", "---\nband: [\n---\n");
  CHECK(offered({"run", "alpha/go", "--na"}).empty());
  CHECK(offered({"run", "gamma/go", "--na"}).empty());
  CHECK(offered({"run", "beta/go", "--na"}) == Words{"--name"});
  CHECK(complete({"run", "gamma/"}, true).candidates.at(0).about == "");
}

TEST_CASE("words of a hostile skill with control characters are not offered") {
  const Skills skills;
  skills.add(
      "alpha", "go",
      R"json("kind": {"description": "red\u001b[31m\n\t\u202ehidden", "enum": ["$(touch /tmp/x)", "`id`; rm *", "a\nb", "a\tb",
                "\u001b]0;x\u0007", "\u202eright", "\u009b31m", "", "--json", "it's"]
},
                "a=b": {"type": "string"}, "new\nline": {"type": "string"}, "$(id)": {"type": "string"}, "": {"type": "string"})json");
  CHECK(offered({"run", "alpha/go", "--kind", ""}) == Words{"$(touch /tmp/x)", "`id`; rm *", "it's"});
  CHECK(offered({"run", "alpha/go", "--kind="}) ==
        Words{"--kind=$(touch /tmp/x)", "--kind=`id`; rm *", "--kind=--json", "--kind=it's"});
  CHECK(offered({"run", "alpha/go", ""}) == Words{"--kind", "--$(id)"});
  CHECK(complete({"run", "alpha/go", ""}, true).candidates.at(0).about == "red\\x1b[31m");
}

TEST_CASE("schemas with exponentially many paths or with many values are completed quickly") {
  const Skills skills;
  std::string definitions;
  for (int i = 0; i < 30; ++i)
    definitions += "\"d" + std::to_string(i) + R"(": {"allOf": [{"$ref": "#/definitions/d)" + std::to_string(i + 1) +
                   R"("}, {"$ref": "#/definitions/d)" + std::to_string(i + 1) + "\"}]}, ";
  definitions += R"("d30": {"enum": ["a"]})";
  std::string values;
  for (int i = 0; i < 5'000; ++i) values += (i > 0 ? ", " : "") + std::to_string(i);
  skills.add("alpha", "go",
             R"("deep": {"$ref": "#/definitions/d0"}, "many": {"enum": [)" + values + R"(]}}, "definitions": {)" +
                 definitions);
  const double seconds = cpu_seconds_of([] {
    CHECK(offered({"run", "alpha/go", "--deep", ""}) == Words{"a"});
    CHECK(offered({"run", "alpha/go", "--many", ""}).size() == 200);
  });
  CHECK(seconds < 1);
}

TEST_CASE("values of band's own flags: known ones are offered, and the shell completes paths") {
  const Skills skills;
  skills.home.write("config/targets/build.json", "{}");
  CHECK(offered({"run", "--target", ""}) == Words{"local-lima", "local", "build"});
  CHECK(offered({"run", "--target=b"}) == Words{"--target=build"});
  CHECK(offered({"target", "use", ""}) == Words{"build"});
  CHECK(offered({"target", "re"}) == Words{"remove"});
  CHECK(offered({"target", "add", ""}).empty());
  CHECK(offers({"exec", "--limit", "max"}, "maxRuntimeMs="));
  CHECK(offered({"setup", "--with", ""}) == Words{"claude"});
  CHECK(offered({"completion", ""}) == Words{"bash", "zsh", "fish"});
  const EnvVar variable("BAND_TEST_VARIABLE", "secret");
  CHECK(offered({"exec", "--env", "BAND_TEST_V"}) == Words{"BAND_TEST_VARIABLE"});
  CHECK(asked({"exec", "--read", ""}) == Ask::Files);
  CHECK(asked({"exec", "--workspace="}) == Ask::Directories);
  CHECK(complete({"exec", "--workspace="}, false).behind == 12);
  CHECK(asked({"validate", ""}) == Ask::Directories);
  CHECK(offered({"run", "--input", ""}) == Words{"-", "@"});
  CHECK(offered({"call", "--input", ""}) == Words{"-"});
  const Completion file = complete({"run", "--input", "@in"}, false);
  CHECK(file.ask == Ask::Files);
  CHECK(file.behind == 1);
  CHECK(asked({"call", "--input", "@in"}) == Ask::Nothing);
  CHECK(offers({"status", ""}, "--json"));  // it has no arguments
  CHECK(offered({"teardown", "--quiet="}).empty());
  CHECK(offered({"learn", "--input", "{}", "--in"}) == Words{"--input"});  // it can be repeated
  CHECK(offered({"run", "--input", "{}", "--in"}).empty());
}

TEST_CASE("the shell completes the command of band exec and its arguments") {
  CHECK(asked({"exec", ""}) == Ask::Commands);
  CHECK(asked({"exec", "--read", "src", "--", "gr"}) == Ask::Commands);
  CHECK(asked({"exec", "--read", "src", "--", "grep", "--read"}) == Ask::Files);
  CHECK(offered({"exec", "grep", "--"}).empty());
}

TEST_CASE("values of flags before the verb are completed, too") {
  for (const FlagInfo& flag : flags()) {
    if (flag.value.empty()) continue;
    const std::string name = "--" + std::string(flag.name);
    CAPTURE(name);
    const Words with_verb = offered({"run", name, ""});
    if (!find_flag(find_verb("run"), flag.name)) continue;
    CHECK(offered({name, ""}) == with_verb);
    CHECK(offered({name + "="}).size() == with_verb.size());
  }
  CHECK(offers({"--input", ""}, "@"));
  CHECK(asked({"--input", "@"}) == Ask::Files);
}

TEST_CASE("for a verb without kinds of arguments only flags are offered") {
  const VerbInfo row{"x", "ANYTHING", "a row of a test", {"json"}};
  CHECK(row.group != VerbGroup::Hidden);
  CHECK(row.words.empty());
}

TEST_CASE("there is a script for each shell, and for no other") {
  for (const char* shell : {"bash", "zsh", "fish"})
    CHECK(completion_script(shell).find("band complete") != std::string::npos);
  CHECK(completion_script("tcsh").empty());
}
