#include "client/skills/skills.h"

#include <doctest/doctest.h>

#include "client/commands/run_plan.h"
#include "schemas/core/json.h"
#include "tests/pure/client/client_test.h"

using namespace band;
using namespace band::client;
using namespace band::test;

namespace {

void add_skill(const TempDir& dir, const std::string& name) {
  dir.write(name + "/SKILL.md", "---\nname: " + name + "\ndescription: \"About " + name + "\"\n---\n# x\n");
  dir.write(name + "/BAND.md",
            "---\nband: " + name + "\ndescription: Does it\nversion: 1.0.0\nallow:\n  read: [\"./in/**\"]\n---\n");
  dir.write(name + "/scripts/go/run.sh", "echo '{}' > \"$OUTPUT_PATH\"\n");  // without run bit
}

std::vector<std::string> problems(const TempDir& dir, const std::string& skill = "s") {
  std::vector<Diagnostic> errors;
  const auto script = load_script({skill + "/go", skill, "go", dir.path(skill)}, errors);
  CHECK(script.has_value() == errors.empty());
  std::vector<std::string> texts;
  texts.reserve(errors.size());
  for (const Diagnostic& error : errors) texts.push_back(error.text());
  return texts;
}

bool contains_text(const std::vector<std::string>& texts, const std::string& part) {
  std::string all;
  for (const std::string& text : texts) all += text + "\n";
  CAPTURE(all);
  return all.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("skills are found in the configured directories, in order, and never in the current directory") {
  TempDir first, second, home, here;
  add_skill(first, "alpha");
  add_skill(second, "alpha");
  add_skill(second, "beta");
  add_skill(here, "gamma");
  fs::create_directories(home.path(".band/skills"));
  EnvVar home_variable("HOME", home.path());
  EnvVar listed("BAND_SKILLS", second.path() + "::/nothing/there");
  const fs::path before = fs::current_path();
  fs::current_path(here.path());
  const auto roots = skill_roots({first.path()});
  fs::current_path(before);
  REQUIRE(roots.ok());
  REQUIRE(roots->size() >= 3);
  CHECK((*roots)[0] == first.path());
  CHECK((*roots)[1] == second.path());
  CHECK((*roots)[2] == home.path(".band/skills"));
  const auto alpha = find_script(*roots, "alpha/go");
  REQUIRE(alpha.ok());
  CHECK(alpha->skill_directory == first.path("alpha"));
  CHECK(find_script(*roots, "beta/go")->skill_directory == second.path("beta"));
  CHECK_FALSE(find_script(*roots, "gamma/go").ok());
}

TEST_CASE("an invalid directory for skills is refused") {
  CHECK_FALSE(skill_roots({"/nothing/there"}).ok());
  EnvVar listed("BAND_SKILLS", "skills");
  CHECK_FALSE(skill_roots({}).ok());
}

TEST_CASE("a directory of BAND_SKILLS without skills is reported, with the reason") {
  TempDir dir;
  add_skill(dir, "good/s");
  fs::create_directories(dir.path("empty"));
  dir.write("file", "");
  const EnvVar listed("BAND_SKILLS", dir.path("good") + ":" + dir.path("gone") + "::" + dir.path("empty") + ":" +
                                         dir.path("file") + ":" + dir.path("good/s"));
  CHECK(lost_skill_roots() == std::vector<std::string>{"BAND_SKILLS: " + dir.path("gone") + " does not exist",
                                                       "BAND_SKILLS: " + dir.path("empty") + " contains no skill",
                                                       "BAND_SKILLS: " + dir.path("file") + " is not a directory",
                                                       "BAND_SKILLS: " + dir.path("good/s") +
                                                           " is a skill itself: name its parent directory"});
  const EnvVar unset("BAND_SKILLS", "");
  CHECK(lost_skill_roots().empty());
}

TEST_CASE("an unknown skill or script is an error with similar names") {
  TempDir dir;
  add_skill(dir, "github");
  dir.write("github/scripts/issue-create/run.sh", "x");
  dir.write("github/scripts/_lib/run.sh", "no script");
  const std::vector<std::string> roots{dir.path()};
  CHECK(find_script(roots, "githbu/go").error().hint == "did you mean `github/go`?");
  CHECK(find_script(roots, "githbu/other").error().hint == "did you mean `github`?");
  CHECK(find_script(roots, "githbu/issue-create").error().hint == "did you mean `github/issue-create`?");
  CHECK(find_script(roots, "weather/go").error().hint ==
        "band looks for skills in --skills DIR, in $BAND_SKILLS, in ~/.band/skills, and where band is installed; `band "
        "list` shows the available ones");
  CHECK(find_script(roots, "issue-create").error().hint == "did you mean `github/issue-create`?");
  CHECK(find_script(roots, "github/issue-craete").error().hint == "did you mean `github/issue-create`?");
  CHECK(find_script(roots, "github").error().hint.find("go, issue-create") != std::string::npos);
  CHECK_FALSE(find_script(roots, "github/_lib").ok());
  CHECK_FALSE(find_script(roots, "../github/go").ok());
  CHECK_FALSE(find_script(roots, "github/../go").ok());
  CHECK(script_names(dir.path("github")) == std::vector<std::string>{"go", "issue-create"});
}

TEST_CASE("a skill's description is one line of its frontmatter") {
  TempDir dir;
  add_skill(dir, "s");
  CHECK(skill_description(dir.path("s")) == "About s");
  dir.write("s/SKILL.md", "---\nname: s\ndescription: >\n  Folded text\n  continues\n---\n");
  CHECK(skill_description(dir.path("s")) == "Folded text");
  dir.write("s/SKILL.md", "# no frontmatter\ndescription: x\n");
  CHECK(skill_description(dir.path("s")).empty());
}

TEST_CASE("a script without execute bit is valid, an invalid one is reported with the reason") {
  TempDir dir;
  add_skill(dir, "s");
  CHECK(problems(dir).empty());
  dir.write("s/scripts/go/run.sh", " \n\t\n");
  CHECK(contains_text(problems(dir), "s/scripts/go/run.sh: is empty"));
  dir.write("s/scripts/go/run.sh", "echo caf\xE9\n");
  CHECK(contains_text(problems(dir), "is not UTF-8 text"));
  dir.write("s/scripts/go/run.sh", std::string(kMaxSourceBytes + 1, '#'));
  CHECK(contains_text(problems(dir), "has more than 1 MiB"));
  fs::remove(dir.path("s/scripts/go/run.sh"));
  CHECK(contains_text(problems(dir), "is missing"));
}

TEST_CASE("no link in a skill makes band ship a file from outside") {
  TempDir dir, elsewhere;
  add_skill(dir, "s");
  elsewhere.write("key", "PRIVATE");
  dir.link(elsewhere.path("key"), "s/scripts/_lib/key");
  CHECK(contains_text(problems(dir), "s/scripts/_lib/key: is a link that points outside the skill"));
  fs::remove(dir.path("s/scripts/_lib/key"));
  dir.link(elsewhere.path(), "s/scripts/_lib/all");
  CHECK(contains_text(problems(dir), "points outside the skill"));
  fs::remove(dir.path("s/scripts/_lib/all"));
  dir.link("..", "s/scripts/_lib/up");  // cycles inside the skill end
  CHECK_FALSE(problems(dir).empty());
  fs::remove_all(dir.path("s/scripts/_lib"));
  CHECK(problems(dir).empty());
  fs::remove(dir.path("s/scripts/go/run.sh"));
  dir.link(elsewhere.path("key"), "s/scripts/go/run.sh");
  CHECK(contains_text(problems(dir), "s/scripts/go/run.sh: is a link that points outside the skill"));
}

TEST_CASE("the library is sent with its modes, up to its limits") {
  TempDir dir;
  add_skill(dir, "s");
  dir.write("s/scripts/_lib/sub/tool", "x", 0755);
  dir.write("s/scripts/_lib/a.sh", "y");
  std::vector<Diagnostic> errors;
  const auto script = load_script({"s/go", "s", "go", dir.path("s")}, errors);
  REQUIRE(script.has_value());
  REQUIRE(script->lib.size() == 2);
  CHECK(script->lib[0].path == "a.sh");
  CHECK(script->lib[1].path == "sub/tool");
  CHECK(script->lib[1].mode == 0755);
  for (std::size_t i = 0; i < kMaxLibFiles; ++i) dir.write("s/scripts/_lib/many/" + std::to_string(i), "");
  CHECK(contains_text(problems(dir), "has more than 200 files"));
  fs::remove_all(dir.path("s/scripts/_lib/many"));
  dir.write("s/scripts/_lib/big", std::string(kMaxLibBytes, 'x'));
  CHECK(contains_text(problems(dir), "has more than 8 MiB"));
}

TEST_CASE("files next to run.sh are sent with assets and references, up to their limits") {
  TempDir dir;
  add_skill(dir, "s");
  for (const char* path : {"scripts/go/helper.py", "scripts/go/sub/run.sh", "assets/x/logo.svg", "references/r.md",
                           "scripts/other/run.sh", "scripts/other/helper.py", "data/large", "scripts/_lib/l.sh"})
    dir.write("s/" + std::string(path), "x");
  fs::permissions(dir.path("s/scripts/go/helper.py"), fs::perms(0755));
  std::vector<Diagnostic> errors;
  const auto script = load_script({"s/go", "s", "go", dir.path("s")}, errors);
  REQUIRE(script.has_value());
  std::string paths;
  for (const ShippedFile& file : script->skill_files) paths += file.path + " ";
  CHECK(paths == "scripts/go/helper.py scripts/go/sub/run.sh assets/x/logo.svg references/r.md ");
  CHECK(script->skill_files[0].mode == 0755);
  CHECK(script->lib.size() == 1);
  for (const ShippedFile& file : script->skill_files) CHECK(may_be_skill_file(file.path, "s/go"));
  // The limits apply to all of them together.
  for (std::size_t i = 0; i < kMaxSkillFiles - 3; ++i) dir.write("s/references/many/" + std::to_string(i), "");
  CHECK(contains_text(
      problems(dir),
      "s/scripts/go, assets, references: has more than 200 files; keep only files that the script reads"));
  fs::remove_all(dir.path("s/references/many"));
  dir.write("s/references/big", std::string(kMaxSkillBytes / 2, 'x'));
  CHECK(problems(dir).empty());
  dir.write("s/assets/big", std::string(kMaxSkillBytes / 2, 'x'));
  CHECK(contains_text(problems(dir), "has more than 8 MiB"));
}

TEST_CASE("a file of the skill that its owner may not read is reported, also to root") {
  TempDir dir;
  add_skill(dir, "s");
  dir.write("s/assets/a", "x", 0400);
  CHECK(problems(dir).empty());
  for (const char* place : {"s/assets/b", "s/scripts/_lib/b", "s/scripts/go/b"}) {
    dir.write(place, "x", 0244);
    CHECK(contains_text(problems(dir), std::string(place) + ": cannot be read; check its size and permissions"));
    fs::remove(dir.path(place));
  }
}

TEST_CASE("no link below assets or next to run.sh leaves the skill, and links that multiply names are bounded") {
  TempDir dir, elsewhere;
  add_skill(dir, "s");
  elsewhere.write("key", "PRIVATE");
  dir.write("s/assets/a", "x");
  CHECK(problems(dir).empty());
  for (const char* place : {"s/assets/key", "s/references/key", "s/scripts/go/key"}) {
    fs::create_directories(fs::path(dir.path(place)).parent_path());
    dir.link(elsewhere.path("key"), place);
    CHECK(contains_text(problems(dir), std::string(place) + ": is a link that points outside the skill"));
    fs::remove(dir.path(place));
  }
  fs::remove_all(dir.path("s/references"));
  dir.link(elsewhere.path(), "s/references");
  CHECK(contains_text(problems(dir), "s/references: is a link that points outside the skill"));
  fs::remove(dir.path("s/references"));
  fs::remove(dir.path("s/assets/a"));
  for (int i = 0; i < 20; ++i) dir.link(".", "s/assets/up" + std::to_string(i));  // 20^16 directories
  CHECK(problems(dir).size() == 20);
  fs::remove_all(dir.path("s/assets"));
  for (int i = 0; i < 5'001; ++i) fs::create_directories(dir.path("s/assets/" + std::to_string(i)));
  CHECK(contains_text(problems(dir), "has more than 5000 names"));
}

TEST_CASE("the rest of a request limits the size of its files") {
  TempDir dir, workspace, config;
  EnvVar config_variable("BAND_CONFIG_DIR", config.path());
  add_skill(dir, "s");
  dir.write("s/BAND.md", "---\nband: s\nallow: {read: [\"./**\"]}\nlimit: {maxDiskBytes: 1g}\n---\n");
  dir.write("s/assets/big", std::string(kMaxSkillBytes, 'x'));
  workspace.write("data", "");
  std::vector<Diagnostic> errors;
  const auto script = load_script({"s/go", "s", "go", dir.path("s")}, errors);
  REQUIRE(script.has_value());
  CommandLine line;
  line.workspace = workspace.path();
  const auto planned = [&](std::uintmax_t bytes) {
    fs::resize_file(workspace.path("data"), bytes);
    return plan_run(line, *script);
  };
  const auto small = planned(0);
  REQUIRE(small.ok());
  ExecRequest request = request_of(*small);
  const std::size_t rest = dump_json(request_to_json(request)).size();
  const std::size_t room = (kMaxBodyBytes - rest - bytes_in_request("data", 0)) / 4 * 3;
  CHECK(planned(room).ok());
  const auto large = planned(room + 3);
  REQUIRE_FALSE(large.ok());
  CHECK(large.error().code == Code::LimitExceeded);
  CHECK(large.error().message().find("has room for only " + std::to_string(room) + " bytes of files (5") !=
        std::string::npos);
  request.files = {{"data", 0644, std::string(room, 'x'), kMostModifiedUs}};
  const std::size_t body = dump_json(request_to_json(request)).size();
  CHECK(body <= kMaxBodyBytes);
  CHECK(body > kMaxBodyBytes - 8);
}

TEST_CASE("a script without an input schema accepts only {}; schemas are checked and defaults filled in") {
  TempDir dir;
  add_skill(dir, "s");
  std::vector<Diagnostic> errors;
  auto script = load_script({"s/go", "s", "go", dir.path("s")}, errors);
  REQUIRE(script.has_value());
  Json empty = Json::object(), full = {{"a", 1}};
  CHECK(check_input(*script, empty).empty());
  CHECK_FALSE(check_input(*script, full).empty());
  dir.write("s/schemas/input/go.json", R"({"type":"object","properties":{"n":{"type":"integer","default":7}}})");
  script = load_script({"s/go", "s", "go", dir.path("s")}, errors);
  REQUIRE(script.has_value());
  CHECK(check_input(*script, empty).empty());
  CHECK(empty["n"] == 7);
  dir.write("s/schemas/output/go.json", "{");
  CHECK(problems(dir).front().starts_with("s/schemas/output/go.json:1:"));
}

TEST_CASE("a dry run shows rules, files, variables and limits, and no value of a variable") {
  TempDir dir, workspace, config;
  EnvVar config_variable("BAND_CONFIG_DIR", config.path());
  EnvVar secret("MY_TEST_SECRET", "hunter2hunter2");
  add_skill(dir, "s");
  dir.write(
      "s/BAND.md",
      "---\nband: s\ndescription: Does it\nversion: 1.0.0\nallow:\n  read: [\"./in/**\", \"/opt/data/**\", {path: "
      "/opt/more/**, optional: true}]\nenv: "
      "[MY_TEST_SECRET, MY_TEST_GONE]\nlimit:\n  maxRuntimeMs: 5s\n---\n");
  workspace.write("in/a.txt", "12345");
  workspace.write("b.txt", "no");
  std::vector<Diagnostic> errors;
  const auto script = load_script({"s/go", "s", "go", dir.path("s")}, errors);
  REQUIRE_MESSAGE(script.has_value(), (errors.empty() ? "" : errors[0].text()));
  CommandLine line;
  line.workspace = workspace.path();
  CHECK(plan_run(line, *script).error().code == Code::SecretMissing);
  line.dry_run = true;
  const auto plan = plan_run(line, *script);
  REQUIRE_MESSAGE(plan.ok(), (plan.ok() ? "" : plan.error().message()));
  const Json json = *plan_to_json(*plan);
  CHECK(dump_json(json["files"]) == R"([{"path":"in/a.txt","bytes":5}])");
  CHECK(json["mounts"][0]["pattern"] == "/opt/data/**");
  CHECK(json["mounts"][0]["optional"] == false);
  CHECK(json["mounts"][1]["pattern"] == "/opt/more/**");
  CHECK(json["mounts"][1]["optional"] == true);
  CHECK(plan_to_text(*plan).find("read  /opt/more/**   (s/BAND.md:6), if it exists") != std::string::npos);
  CHECK(json["env"][0]["set"] == true);
  CHECK(json["env"][1]["set"] == false);
  CHECK(json["limits"]["maxRuntimeMs"] == 5000);
  for (const std::string& text : {dump_json(json), plan_to_text(*plan)}) {
    CHECK(text.find("hunter2") == std::string::npos);
    CHECK(text.find("MY_TEST_SECRET") != std::string::npos);
    CHECK(text.find("s/BAND.md:6") != std::string::npos);
  }
  CHECK(plan_to_text(*plan).find("MY_TEST_GONE  secret  MISSING") != std::string::npos);
}
