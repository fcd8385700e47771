// Variables and secrets: their sources, their recipients, and where they never appear.
#include <filesystem>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

const std::string kSecret = "s3cr3t-V4lue-9f8e7d";
constexpr const char* kTakes = "env: [API_KEY]";
constexpr const char* kShow = "jq -n --arg v \"$API_KEY\" '{$v}' > \"$OUTPUT_PATH\"";
constexpr const char* kShowColour = "jq -n --arg v \"$COLOUR\" '{$v}' > \"$OUTPUT_PATH\"";
constexpr const char* kColour = "env: {COLOUR: {secret: false, default: white}}";

int command_lines_with(const std::string& text) {
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc"))
    found += contains(read_file(entry.path().string() + "/cmdline"), text) ? 1 : 0;
  return found;
}

int files_with(const std::string& text, const std::string& directory) {
  int found = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory))
    found += contains(read_file(entry.path()), text) ? 1 : 0;
  return found;
}

}  // namespace

TEST_CASE("a missing secret stops the run before anything is sent, and is named") {
  const Caller caller;  // without a server: this would be 8 if it tried to send
  const Ran ran = caller.run(kShow, kTakes);
  CHECK_STATUS(ran, 6);
  CHECK_HAS(ran.err, "API_KEY");
}

TEST_CASE("a secret reaches the script") {
  Caller caller(shared_server());
  caller.env["API_KEY"] = kSecret;
  const Ran ran =
      caller.run("jq -n --arg n \"${#API_KEY}\" --arg first \"${API_KEY:0:3}\" '{$n,$first}' > $OUTPUT_PATH", kTakes);
  REQUIRE_STATUS(ran, 0);
  CHECK_HAS(ran.out, "\"n\":\"" + std::to_string(kSecret.size()) + "\"");
  CHECK_HAS(ran.out, "s3c");
}

TEST_CASE("a variable that the band does not name is not sent") {
  Caller caller(shared_server());
  caller.env["API_KEY"] = caller.env["OTHER"] = kSecret;
  const Ran ran = caller.run("env | grep -c '^OTHER=' > $OUTPUT_PATH; exit 0", kTakes);
  REQUIRE_STATUS(ran, 0);
  CHECK_HAS(ran.out, "0");
}

TEST_CASE("a secret is masked in the result, in --json, in the logs, in errors and in the server's log") {
  Caller caller(shared_server());
  caller.env["API_KEY"] = kSecret;
  const Ran plain = caller.run(kShow, kTakes);
  CHECK_STATUS(plain, 0);
  CHECK_HAS_NOT(plain.out + plain.err, kSecret);
  const std::string noisy = std::string("echo log $API_KEY; echo err $API_KEY >&2; ") + kShow;
  const Ran json = caller.run(noisy, kTakes, {"--json", "--verbose", "--explain"});
  CHECK_STATUS(json, 0);
  CHECK_HAS(json.out, "err ");  // the control: logs are there
  CHECK_HAS_NOT(json.out + json.err, kSecret);
  const Ran failed = caller.run("echo \"{\\\"message\\\":\\\"bad key $API_KEY\\\"}\" > $ERROR_PATH; exit 1", kTakes);
  CHECK_STATUS(failed, 1);
  CHECK_HAS(failed.err, "bad key ");
  CHECK_HAS_NOT(failed.err, kSecret);
  CHECK_HAS_NOT(shared_server().log(), kSecret);
}

TEST_CASE("files of the workspace are never masked; notes and --json name those that contain a secret") {
  Caller caller(shared_server());
  caller.env["API_KEY"] = kSecret;
  const std::string source =
      "echo \"API_KEY=$API_KEY\" > app.env\n"
      "sqlite3 d.db \"create table u(n); insert into u values('pw $API_KEY')\"\n"
      "echo none > other.txt\n";
  const std::string band = "allow: {write: [\"./**\"], cli: [\"sqlite3 *\"]}\nenv: [API_KEY]";
  const auto is_right = [&] {
    CHECK(read_file(caller.work("app.env")) == "API_KEY=" + kSecret + "\n");
    const Ran row =
        Running({"/usr/bin/sqlite3", caller.work("d.db"), "select n from u"}, {{"PATH", "/usr/bin"}}, "/").wait();
    CHECK(row.out == "pw " + kSecret + "\n");
    for (const char* file : {"app.env", "d.db"}) std::filesystem::remove(caller.work(file));
  };
  const Ran ran = caller.run(source + kEmptyOutput, band);
  REQUIRE_STATUS(ran, 0);
  CHECK_HAS(ran.err, "band: wrote the value of API_KEY into app.env, d.db");
  is_right();
  const Ran json = caller.run(source + kEmptyOutput, band, {"--json"});
  CHECK_HAS(json.out, R"("secrets":["API_KEY"])");
  CHECK_HAS(json.out, R"("secrets":[])");
  is_right();
  const Ran exec = caller.band(
      {"exec", "--env", "API_KEY", "--cli", "sqlite3 *", "--write", ".", "--replace", "bash", "-c", source});
  REQUIRE_STATUS(exec, 0);
  CHECK_HAS(exec.err, "band: wrote the value of API_KEY into app.env, d.db");
  is_right();
  const Ran quiet = caller.run(source + kEmptyOutput, band, {"--quiet"});
  CHECK(quiet.err == "band: wrote the value of API_KEY into app.env, d.db\n");
  is_right();
  const Ran failed = caller.run(source + "exit 5\n", band, {"--keep-partial", "kept"});
  CHECK_HAS(failed.err, "band: wrote the value of API_KEY into app.env, d.db");
  CHECK(read_file(caller.work("kept/app.env")) == "API_KEY=" + kSecret + "\n");
}

TEST_CASE("a note says where the output was masked") {
  Caller caller(shared_server());
  caller.env["API_KEY"] = kSecret;
  const Ran ran = caller.run(kShow, kTakes);
  REQUIRE_STATUS(ran, 0);
  CHECK(ran.out == "{\"v\":\"[masked]\"}\n");
  CHECK(ran.err == "note: the output has `[masked]` in place of a secret's value: /v\n");
  CHECK_HAS(caller.run(kShow, kTakes, {"--json"}).out, R"("masked":["/v"])");
  CHECK(caller.run("echo '{\"v\":\"[masked]\"}' > \"$OUTPUT_PATH\"", kTakes).err.empty());  // the script's own text
  caller.schema("tool/go", "output", R"({"type": "object", "properties": {"v": {"maxLength": 4}}})");
  const Ran invalid = caller.run(kShow, kTakes);
  CHECK_STATUS(invalid, 5);
  CHECK_HAS(invalid.err, "in place of a secret's value: /v\n");
}

TEST_CASE("a secret that is split over two writes is masked in the logs") {
  Caller caller(shared_server());
  caller.env["API_KEY"] = kSecret;
  const Ran ran = caller.run(
      std::string("printf %s \"${API_KEY:0:9}\"; sleep 0.1; printf '%s\\n' \"${API_KEY:9}\"\n") + kEmptyOutput, kTakes,
      {"--json", "--verbose"});
  CHECK_STATUS(ran, 0);
  CHECK_HAS_NOT(ran.out + ran.err, kSecret);
}

TEST_CASE("a secret is in no file and on no command line of the machine while the script runs") {
  Caller caller(shared_server());
  caller.env["API_KEY"] = kSecret;
  caller.script("tool/go", kHold + kEmptyOutput, kTakes);
  Running running = caller.start({"run", "tool/go"});
  REQUIRE(shared_server().held());
  CHECK(command_lines_with("tool/go") >= 1);  // the control: the client itself
  CHECK(command_lines_with(kSecret) == 0);
  CHECK(files_with(kSecret, shared_server().run_dir()) == 0);
  shared_server().let_go();
  CHECK_STATUS(running.wait(), 0);
}

TEST_CASE("sources of a variable have this precedence: --env-file, environment, ~/.config/band/env, default") {
  Caller caller(shared_server());
  CHECK_HAS(caller.run(kShowColour, kColour).out, "white");
  write_file(caller.directory.path + "/config/env", "COLOUR=green\n", 0600);
  CHECK_HAS(caller.run(kShowColour, kColour).out, "green");
  caller.env["COLOUR"] = "blue";
  CHECK_HAS(caller.run(kShowColour, kColour).out, "blue");
  write_file(caller.work("mine.env"), "COLOUR='red'\n", 0600);
  CHECK_HAS(caller.run(kShowColour, kColour, {"--env-file", "mine.env"}).out, "red");
}

TEST_CASE("--dry-run names a missing secret, and never shows one") {
  Caller caller;
  const Ran missing = caller.run(kShow, kTakes, {"--dry-run"});
  CHECK_STATUS(missing, 0);
  CHECK_HAS(missing.out, "API_KEY");
  caller.env["API_KEY"] = kSecret;
  CHECK_HAS_NOT(caller.run(kShow, kTakes, {"--dry-run", "--json"}).out, kSecret);
}
