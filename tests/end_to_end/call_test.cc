// `band call`, the files that an input names, and a user's configuration of a skill.
#include <filesystem>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

constexpr const char* kRead = "allow: {read: [\"{path}\"]}";
constexpr const char* kPath = R"({"type": "object", "properties": {"path": {"type": "string"}}})";

// The script's view of its workspace, and the file of its input.
constexpr const char* kLooks =
    "path=$(jq -r '.path // \"none\"' \"$INPUT_PATH\")\n"
    "jq -n --arg all \"$(find . -type f | sort | tr '\\n' ' ')\" --arg text \"$(cat -- \"$path\" 2>&1)\" '{$all, "
    "$text}' > "
    "\"$OUTPUT_PATH\"\n";

// A caller with the skill installed in ~/.band/skills.
class Installed : public Caller {
 public:
  Installed() : Caller(shared_server()) {
    env.erase("BAND_SKILLS");
    std::filesystem::create_directories(home(".band"));
    std::filesystem::create_directory_symlink(skills(), home(".band/skills"));
  }
};

}  // namespace

TEST_CASE("a script sees the one file that its input names, and no other") {
  const Caller caller(shared_server());
  caller.script("tool/go", kLooks, kRead);
  caller.schema("tool/go", "input", kPath);
  for (const std::string name : {"a.txt", "b.txt", "a*", "sub/with space.txt", ".hidden"})
    write_file(caller.work(name), "text of " + name);
  const auto sees = [&](const std::string& path) { return caller.band({"run", "tool/go", "--path", path}).out; };
  CHECK_HAS(sees("a.txt"), R"({"all":"./a.txt ","text":"text of a.txt"})");
  CHECK_HAS(sees("./sub//with space.txt"), R"({"all":"./sub/with space.txt ","text":"text of sub/with space.txt"})");
  CHECK_HAS(sees("a*"), R"({"all":"./a* ","text":"text of a*"})");
  CHECK_HAS(sees(".hidden"), R"("text of .hidden")");
  CHECK_HAS(sees("missing"), R"("all":"")");
  CHECK_HAS(caller.band({"run", "tool/go"}).out, R"("all":"")");  // it names none
}

TEST_CASE("an input that names a file outside of the workspace stops the run") {
  const Caller caller(shared_server());
  caller.script("tool/go", kLooks, kRead);
  caller.schema("tool/go", "input", kPath);
  write_file(caller.directory.path + "/outside", "secret");
  for (const std::string path : {"/etc/hostname", "../outside", "x/../../outside", ""}) {
    CAPTURE(path);
    const Ran ran = caller.band({"run", "tool/go", "--path", path});
    CHECK_STATUS(ran, 2);
    CHECK_HAS(ran.err, "`path` of the input");
    CHECK_HAS(ran.err, "tool/scripts/go/BAND.md:3");
  }
  std::filesystem::create_symlink("../outside", caller.work("link"));
  const Ran link = caller.band({"run", "tool/go", "--path", "link"});
  CHECK_HAS(link.out, R"("all":"")");
  CHECK_HAS_NOT(link.out, "secret");
}

TEST_CASE("a file that the input names is written back, and insisted on") {
  const Caller caller(shared_server());
  const std::string band = "allow: {read: [\"{out}\"]}\ninsist: {write: [\"{out}\"]}";
  const char* out =
      R"({"type": "object", "required": ["out"], "properties": {"out": {"type": "string"}, "do": {"type": "boolean"}}})";
  caller.schema("tool/go", "input", out);
  caller.script(
      "tool/go",
      std::string("jq -e .do \"$INPUT_PATH\" && echo new > \"$(jq -r .out \"$INPUT_PATH\")\"\n") + kEmptyOutput, band);
  CHECK_STATUS(caller.band({"run", "tool/go", "--out", "x.txt", "--do"}), 0);
  CHECK(read_file(caller.work("x.txt")) == "new\n");
  CHECK_STATUS(caller.band({"run", "tool/go", "--out", "y.txt"}), 4);
  CHECK(!exists(caller.work("y.txt")));
}

TEST_CASE("a placeholder that is not a property of the input is an error of the skill, and not allowed in deny") {
  const Caller caller(shared_server());
  caller.schema("tool/go", "input", kPath);
  caller.script("tool/go", kLooks, "allow: {read: [\"{paht}\"]}");
  const Ran typo = caller.band({"run", "tool/go"});
  CHECK_STATUS(typo, 2);
  CHECK_HAS(typo.err, "did you mean {path}?");
  caller.script("tool/go", kLooks, "allow: {read: [\"./**\"]}\ndeny: {read: [\"{path}\"]}");
  CHECK_STATUS(caller.band({"run", "tool/go"}), 2);
  write_file(caller.work("band.md"), "---\nband: x\nallow: {read: [\"{path}\"]}\n---\n");
  const Ran exec = caller.band({"exec", "--band", "band.md", "--", "true"});
  CHECK_STATUS(exec, 2);
  CHECK_HAS(exec.err, "`band exec` runs a command without such an input");
}

TEST_CASE("band call runs only installed skills, not skills that its caller puts elsewhere") {
  Installed caller;
  caller.script("tool/go", "echo '{\"ran\": true}' > \"$OUTPUT_PATH\"");
  CHECK_HAS(caller.band({"call", "tool/go"}).out, "ran");
  CHECK_STATUS(caller.band({"call", "hello/greet", "--name", "World"}), 0);  // next to the program
  const std::string mine = caller.work("mine");
  write_file(mine + "/own/SKILL.md", "---\nname: own\ndescription: x\n---\n");
  write_file(mine + "/own/BAND.md", "---\nband: own\n---\n");
  write_file(mine + "/own/scripts/go/run.sh", kEmptyOutput);
  CHECK_STATUS(caller.band({"run", "own/go", "--skills", mine}), 0);  // the control
  CHECK_STATUS(caller.band({"call", "own/go", "--skills", mine}), 2);
  caller.env["BAND_SKILLS"] = mine;
  CHECK_STATUS(caller.band({"run", "own/go"}), 0);
  CHECK_STATUS(caller.band({"call", "own/go"}), 2);
}

TEST_CASE("band call accepts no other workspace, variables, target or file") {
  const Installed caller;
  caller.script("tool/go", kEmptyOutput, "env: {X: {required: false}}");
  write_file(caller.work("x.env"), "X=1\n");
  write_file(caller.work("in.json"), "{}");
  const std::vector<Words> all = {{"--workspace", "/"},
                                  {"--env-file", "x.env"},
                                  {"--target", "local"},
                                  {"--keep-partial", "kept"},
                                  {"--input", "@in.json"}};
  for (const Words& more : all) {
    CAPTURE(more[0]);
    Words run = {"run", "tool/go"}, call = {"call", "tool/go"};
    run.insert(run.end(), more.begin(), more.end());
    call.insert(call.end(), more.begin(), more.end());
    CHECK_STATUS(caller.band(run), 0);  // the control
    CHECK_STATUS(caller.band(call), 2);
  }
  CHECK_STATUS(caller.band({"call", "tool/go", "--input", "{}"}), 0);
  CHECK_STATUS(caller.band({"call", "tool/go", "--input", "-"}, "{}"), 0);
}

TEST_CASE("a hint for band call names the flags that only band run has") {
  const Installed caller;
  caller.script("tool/go", kEmptyOutput, "env: {NOT_SET_HERE: {}}");
  const char* const lacks = "`band call` does not accept --env-file";
  const Ran call = caller.band({"call", "tool/go"});
  CHECK_STATUS(call, 6);
  CHECK_HAS(call.err, lacks);
  CHECK_HAS(caller.band({"call", "tool/go", "--json"}).out, lacks);
  const Ran run = caller.band({"run", "tool/go"});
  CHECK_STATUS(run, 6);
  CHECK_HAS(run.err, "--env-file");
  CHECK_HAS_NOT(run.err, "does not take");
  // Flags of other commands in a hint do not count.
  Caller without(shared_server());
  without.env["BAND_CONFIG_DIR"] = without.directory.path + "/none";
  const Ran lost = without.band({"call", "hello/greet", "--name", "World"});
  CHECK_HAS(lost.err, "--target local");
  CHECK_HAS_NOT(lost.err, "does not take");
}

TEST_CASE("a user's configuration of a skill can close more than the band, and cannot open what it closes") {
  const Caller caller(shared_server());
  caller.script("tool/go", "cat \"$CONFIG_PATH\" > \"$OUTPUT_PATH\"",
                "tool: {dm: false, files: true, channels: {deny: [a]}}");
  const std::string file = caller.directory.path + "/config/skills/tool.yaml";
  CHECK_HAS(caller.band({"run", "tool/go"}).out, R"({"dm":false,"files":true,"channels":{"deny":["a"]}})");
  write_file(file, "tool: {dm: true, files: false, search: true, channels: {deny: [b]}}\n");
  CHECK_HAS(caller.band({"run", "tool/go"}).out,
            R"({"dm":false,"files":false,"channels":{"deny":["a","b"]},"search":true})");
  CHECK_HAS(caller.band({"run", "tool/go", "--dry-run"}).out, file);
  write_file(file, "tool: {files: many}\n");
  const Ran other = caller.band({"run", "tool/go"});
  CHECK_STATUS(other, 2);
  CHECK_HAS(other.err, file);
  CHECK_HAS(other.err, "`tool.files`");
  write_file(file, "slack: {dm: true}\n");
  CHECK_STATUS(caller.band({"run", "tool/go"}), 2);
  std::filesystem::remove(file);
  std::filesystem::create_symlink("nowhere", file);
  CHECK_STATUS(caller.band({"run", "tool/go"}), 2);  // an unreadable file may have closed something
  std::filesystem::remove(file);
  write_file(file, "tool: [\n");
  CHECK_STATUS(caller.band({"run", "tool/go"}), 2);
}

TEST_CASE("the configuration of a skill applies to a script with its own band") {
  const Caller caller(shared_server());
  caller.script("tool/go", "cat \"$CONFIG_PATH\" > \"$OUTPUT_PATH\"", "includes: ../../BAND.md\ntool: {files: true}");
  write_file(caller.skills() + "/tool/BAND.md", "---\nband: tool\ntool: {dm: false, files: false}\n---\n");
  CHECK_HAS(caller.band({"run", "tool/go"}).out, R"({"dm":false,"files":false})");
}

namespace {

constexpr const char* kOut = R"({"type": "object", "required": ["out"], "properties": {"out": {"type": "string"}}})";
constexpr const char* kReadsAndWrites = "allow: {read: [\"{out}\"], write: [\"{out}\"]}";
// Writes a text into the file that the input names, as a converted skill with --output does.
const std::string kWrites =
    "out=./$(jq -r .out \"$INPUT_PATH\"); mkdir -p \"$(dirname \"$out\")\"\n"
    "printf '#!/bin/sh\\necho planted\\n' > \"$out\"\n" +
    std::string(kEmptyOutput);

// A skill `tool/go` that writes a file which its input names.
class Writing : public Installed {
 public:
  explicit Writing(const std::string& band = kReadsAndWrites) {
    schema("tool/go", "input", kOut);
    script("tool/go", kWrites, band);
    env["BAND_CONFIG_DIR"] = home(".config/band");
    std::filesystem::create_directories(home(".config"));
    std::filesystem::rename(directory.path + "/config", home(".config/band"));
  }
  Ran writes(const std::string& verb, const std::string& place, const std::string& out) const {
    return band_in(place, {verb, "tool/go", "--out", out});
  }
};

}  // namespace

TEST_CASE("band call cannot rewrite its own skill, and runs in no directory in which programs keep their settings") {
  Writing caller;
  const std::string skill = caller.skills() + "/tool/BAND.md", before = read_file(skill);
  for (const char* place : {".ssh", ".agent/worktrees/a", "bin", "Library"})
    std::filesystem::create_directories(caller.home(place));
  struct Row {
    std::string place, out, why;
  };
  const Row rows[] = {
      {caller.home(".band/skills/tool"), "BAND.md", "a directory of band"},
      {caller.home(".band"), "skills/tool/BAND.md", "a directory of band"},
      {caller.skills(), "tool/BAND.md", "a directory of band"},
      {caller.skills() + "/tool/scripts", "go/run.sh", "a directory of band"},
      {caller.home(".config/band"), "call.yaml", "a directory of band"},
      {caller.home(".ssh"), "authorized_keys", "it is in ~/.ssh"},
      {caller.home(".agent/worktrees/a"), "x", "it is in ~/.agent"},
      {caller.home("Library"), "x", "it is in ~/Library"},
      {caller.home(""), "x", "it is your home directory"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.place);
    const Ran call = caller.writes("call", row.place, row.out);
    CHECK_STATUS(call, 2);
    CHECK_HAS(call.err, row.why);
    if (row.why == "a directory of band") CHECK(caller.writes("run", row.place, row.out).status == 3);
  }
  CHECK(read_file(skill) == before);
  CHECK(!exists(caller.home(".config/band/call.yaml")));
  CHECK(!exists(caller.home(".ssh/authorized_keys")));
  // From a directory above: only `band run` runs there, and it writes no file of band, either.
  const Ran above = caller.band_in(caller.directory.path, {"run", "tool/go", "--out", "skills/tool/BAND.md"});
  CHECK_STATUS(above, 3);
  CHECK_HAS(above.err, "nothing was written back");
  CHECK(read_file(skill) == before);
  // A directory of a project whose files programs obey: the rule names only `tasks.json`.
  std::filesystem::create_directories(caller.work("project/.vscode"));
  const Ran project = caller.writes("call", caller.work("project/.vscode"), "tasks.json");
  CHECK_STATUS(project, 2);
  CHECK_HAS(project.err, "project/.vscode");
  CHECK(!exists(caller.work("project/.vscode/tasks.json")));
  CHECK_STATUS(caller.writes("run", caller.work("project/.vscode"), "tasks.json"), 0);
  // The controls: another directory; and `band run` of the user, which writes into ~/.ssh.
  CHECK_STATUS(caller.writes("call", caller.work(""), "x"), 0);
  CHECK_HAS(read_file(caller.work("x")), "planted");
  CHECK_STATUS(caller.writes("run", caller.home(".ssh"), "x"), 0);
}

TEST_CASE("~/.config/band/call.yaml lists directories in which band call runs nevertheless") {
  const Writing caller;
  for (const char* place : {".ssh", ".agent/worktrees/a"}) std::filesystem::create_directories(caller.home(place));
  const std::string file = caller.home(".config/band/call.yaml"), worktree = caller.home(".agent/worktrees/a");
  CHECK_STATUS(caller.writes("call", worktree, "x"), 2);
  write_file(file, "workspaces: [~/.agent/worktrees, ~/.band/skills]\n");
  CHECK_STATUS(caller.writes("call", worktree, "x"), 0);
  CHECK_HAS(read_file(worktree + "/x"), "planted");
  CHECK_STATUS(caller.writes("call", caller.home(".ssh"), "x"), 2);
  const Ran own = caller.writes("call", caller.home(".band/skills/tool"), "BAND.md");  // listed, but never written
  CHECK_STATUS(own, 3);
  CHECK_HAS(own.err, "into which no run writes");
  std::filesystem::permissions(file, std::filesystem::perms::group_write, std::filesystem::perm_options::add);
  const Ran open = caller.writes("call", worktree, "x");
  CHECK_STATUS(open, 2);
  CHECK_HAS(open.err, "can be changed by other users");
}

TEST_CASE("a run writes no file that band reads by a link, or that a linked skill names") {
  const Writing caller("allow: {read: [\"{out}\"], write: [\"{out}\"]}\nextends: ../../../shared/BAND.md");
  const std::string shared = caller.skills() + "/shared/BAND.md", variables = caller.home("dotfiles/env");
  write_file(shared, "---\nband: shared\nallow: {read: [\"./**\"], write: [\"./**\"]}\n---\n");
  std::filesystem::remove(caller.home(".band/skills"));
  std::filesystem::create_directories(caller.home(".band/skills"));
  std::filesystem::create_directory_symlink(caller.skills() + "/tool", caller.home(".band/skills/tool"));
  // Another linked skill with an error stops no run that writes next to it.
  write_file(caller.skills() + "/broken/BAND.md", "---\nband: [\n---\n");
  write_file(caller.skills() + "/broken/scripts/go/run.sh", "x");
  std::filesystem::create_directory_symlink(caller.skills() + "/broken", caller.home(".band/skills/broken"));
  write_file(variables, "X=1\n", 0600);
  std::filesystem::create_symlink(variables, caller.home(".config/band/env"));
  for (const char* verb : {"call", "run"})
    for (const std::string& file : {shared, variables}) {
      CAPTURE(file);
      const std::string before = read_file(file);
      const std::filesystem::path path = file;
      const Ran ran = caller.writes(verb, path.parent_path(), path.filename());
      CHECK_STATUS(ran, 3);
      CHECK_HAS(ran.err, "a file of band, which no run writes");
      CHECK(read_file(file) == before);
      CHECK_STATUS(caller.writes(verb, path.parent_path(), std::string("beside-") + verb), 0);  // the control
    }
}

TEST_CASE("band call replaces an executable file only if a rule spells its name") {
  const Writing caller;
  const std::string bin = caller.home("bin"), ls = bin + "/ls";
  write_file(ls, "#!/bin/sh\necho old\n", 0755);
  write_file(bin + "/text", "old\n");
  const Ran call = caller.writes("call", bin, "ls");
  CHECK_STATUS(call, 3);
  CHECK_HAS(call.err, "ls is executable, and `band call` replaces");
  CHECK_HAS(read_file(ls), "old");
  CHECK_STATUS(caller.writes("call", bin, "text"), 0);  // the control
  CHECK_STATUS(caller.writes("run", bin, "ls"), 0);
  CHECK_HAS(read_file(ls), "planted");
  write_file(ls, "#!/bin/sh\necho old\n", 0755);
  const Writing spelled("allow: {read: [\"./*\"], write: [\"./ls\"]}");
  write_file(spelled.home("bin/ls"), "#!/bin/sh\necho old\n", 0755);
  CHECK_STATUS(spelled.writes("call", spelled.home("bin"), "ls"), 0);
  CHECK_HAS(read_file(spelled.home("bin/ls")), "planted");
}

TEST_CASE("band call writes no file back that contains the value of a secret") {
  Installed caller;
  caller.env["API_KEY"] = "s3cr3t-V4lue-9f8e7d";
  caller.env["SHORT"] = "1234567";
  caller.schema("tool/go", "input", kPath);
  caller.script("tool/go",
                "variable=$(jq -r .path \"$INPUT_PATH\")\n"
                "echo x > a.txt; echo \"it is <${!variable}>\" > b.txt; echo '{}' > \"$OUTPUT_PATH\"\n",
                "allow: {read: [\"./*.txt\"], write: [\"./*.txt\"]}\nenv: [API_KEY, SHORT]");
  const auto writes = [&](const std::string& verb, const std::string& variable) {
    return caller.band({verb, "tool/go", "--path", variable});
  };
  const Ran call = writes("call", "API_KEY");
  CHECK_STATUS(call, 3);
  CHECK_HAS(call.err,
            "nothing was written back: b.txt contains the value of API_KEY, and `band call` writes no secret");
  CHECK_HAS_NOT(call.out + call.err, caller.env["API_KEY"]);
  CHECK(!exists(caller.work("a.txt")));
  CHECK(!exists(caller.work("b.txt")));
  CHECK_STATUS(writes("call", "SHORT"), 0);  // the control: a short value is not searched for
  CHECK(read_file(caller.work("b.txt")) == "it is <1234567>\n");
  CHECK_STATUS(writes("run", "API_KEY"), 0);
  CHECK(read_file(caller.work("b.txt")) == "it is <s3cr3t-V4lue-9f8e7d>\n");
  // A value that JSON writes with escapes.
  caller.env["API_KEY"] = "-----BEGIN KEY-----\n\"s3cr3t\" \xc3\xa4\n";
  caller.script("tool/go",
                "jq -n --arg v \"$API_KEY\" '{$v}' > c.txt; jq -an --arg v \"$API_KEY\" '{$v}' > d.txt\n" +
                    std::string(kEmptyOutput),
                "allow: {write: [\"./*.txt\"]}\nenv: [API_KEY]");
  const Ran json = caller.band({"call", "tool/go", "--json"});
  CHECK_STATUS(json, 3);
  CHECK_HAS(json.out, "c.txt, d.txt contain the value of API_KEY");
  CHECK_HAS_NOT(json.out + json.err, "s3cr3t");
}

TEST_CASE("a value of a placeholder opens no name that begins with a dot, and with `dot` none that programs obey") {
  const Writing caller;
  const std::vector<std::string> obeyed = {".claude/settings.json",
                                           ".mcp.json",
                                           ".envrc",
                                           ".vscode/tasks.json",
                                           ".bash_profile",
                                           "x/.ENVRC",
                                           ".idea",
                                           ".git/hooks/pre-commit",
                                           ".cargo/config.toml",
                                           ".github/workflows/x.yml"};
  std::vector<std::string> all = obeyed;
  all.insert(all.end(), {".cache/x", "sub/.hidden"});
  for (const std::string& out : all)
    for (const char* verb : {"run", "call"}) {
      CAPTURE(out);
      const Ran ran = caller.writes(verb, caller.work(""), out);
      CHECK_STATUS(ran, 2);
      CHECK_HAS(ran.err, "`out` of the input");
      CHECK_HAS(ran.err, "tool/scripts/go/BAND.md:3");
      CHECK(!exists(caller.work(out)));
    }
  const Writing dotted("allow: {write: [{path: \"{out}\", dot: true}]}");
  for (const std::string& out : obeyed) {
    CAPTURE(out);
    CHECK_STATUS(dotted.writes("call", dotted.work(""), out), 2);
    CHECK(!exists(dotted.work(out)));
  }
  for (const char* out : {".cache/x", "sub/.hidden", "plain"}) {
    CAPTURE(out);
    CHECK_STATUS(dotted.writes("call", dotted.work(""), out), 0);
    CHECK_HAS(read_file(dotted.work(out)), "planted");
  }
  CHECK_HAS(dotted.band({"show", "tool/go"}).out, "{out}, also names that begin with a dot");
  CHECK_HAS(dotted.band({"show", "tool/go", "--json"}).out, R"("dot":true)");
  const Writing spelled("allow: {write: [\"./.envrc\", \"./.claude/**\", \"./gradle/**\"]}");
  CHECK_STATUS(spelled.writes("call", spelled.work(""), ".envrc"), 0);
  CHECK_HAS(read_file(spelled.work(".envrc")), "planted");
  std::filesystem::remove(spelled.work(".envrc"));  // it exists and is not sent, which would refuse the next run
  for (const char* out : {".claude/settings.json", "gradle/wrapper/gradle-wrapper.jar"}) {
    const Ran ran = spelled.writes("call", spelled.work(""), out);
    CHECK_STATUS(ran, 0);
    CHECK_HAS(ran.err, "no rule of allow.write spells this name");
    CHECK(!exists(spelled.work(out)));
  }
  CHECK_STATUS(spelled.writes("call", spelled.work(""), ".claude/notes.md"), 0);
  CHECK(exists(spelled.work(".claude/notes.md")));
}

TEST_CASE("a script cannot give a changed file a time at which make takes it for unchanged") {
  const Caller caller(shared_server());
  write_file(caller.work("a.c"), "old\n");
  write_file(caller.work("Makefile"), "a.o: a.c\n\tcp a.c a.o\n");
  const auto make = [&] {
    Running running({"/usr/bin/make"}, {{"PATH", "/usr/bin:/bin"}}, caller.work(""));
    return running.wait();
  };
  const auto ago = [&](const char* file, int minutes) {
    std::filesystem::last_write_time(caller.work(file),
                                     std::filesystem::file_time_type::clock::now() - std::chrono::minutes(minutes));
  };
  ago("a.c", 60);
  REQUIRE_STATUS(make(), 0);
  CHECK(read_file(caller.work("a.o")) == "old\n");
  ago("a.o", 10);
  CHECK_HAS(make().out, "up to date");
  const std::string both = "allow: {read: [\"./a.c\"], write: [\"./a.c\"]}";
  CHECK_STATUS(caller.run("echo new > a.c; touch -d '30 minutes ago' a.c\n" + std::string(kEmptyOutput), both), 0);
  REQUIRE(read_file(caller.work("a.c")) == "new\n");
  CHECK_HAS_NOT(make().out, "up to date");
  CHECK(read_file(caller.work("a.o")) == "new\n");
  // The control: with that time, make takes the file for unchanged.
  write_file(caller.work("a.c"), "newer\n");
  ago("a.c", 30);
  ago("a.o", 10);
  CHECK_HAS(make().out, "up to date");
}
