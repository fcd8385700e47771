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
