// Runs the README's chapter "Write your own skill" unchanged: its commands must work, and print the output shown.
#include <algorithm>
#include <sstream>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

// One command with its output, or a block of commands without output.
struct Step {
  std::string commands;
  std::string shown;
  bool has_output = false;
};

std::vector<std::string> chapter_lines() {
  std::istringstream readme(read_file(std::string(BAND_SOURCE_DIR) + "/README.md"));
  std::vector<std::string> lines;
  bool within = false;
  for (std::string line; std::getline(readme, line);) {
    if (line.starts_with("## ")) within = line == "## Write your own skill";
    if (within) lines.push_back(line);
  }
  return lines;
}

// Blocks of ```bash are commands. In ```console a line with `$ ` is a command, and the lines after it are its output.
std::vector<Step> steps_of_chapter() {
  std::vector<Step> steps;
  std::string block;
  for (const std::string& line : chapter_lines()) {
    if (line.starts_with("```")) {
      block = block.empty() ? line.substr(3) : "";
      if (block == "bash") steps.emplace_back();
    } else if (block == "bash") {
      steps.back().commands += line + "\n";
    } else if (block == "console" && line.starts_with("$ ")) {
      steps.push_back({line.substr(2) + "\n", "", true});
    } else if (block == "console") {
      REQUIRE(!steps.empty());
      steps.back().shown += line + "\n";
    }
  }
  return steps;
}

// `...` stands for any text, also of several lines.
bool is_as_shown(const std::string& text, const std::string& shown) {
  constexpr std::string_view kAny = "...";
  std::size_t at = 0;
  for (std::size_t from = 0; from <= shown.size();) {
    const std::size_t any = std::min(shown.find(kAny, from), shown.size());
    const std::string part = shown.substr(from, any - from);
    const bool is_first = from == 0, is_last = any == shown.size();
    const std::size_t found = is_last && !is_first ? text.rfind(part) : text.find(part, at);
    if (found == std::string::npos || found < at || (is_first && found != 0)) return false;
    at = found + part.size();
    if (is_last) break;
    from = any + kAny.size();
  }
  return at == text.size();
}

}  // namespace

TEST_CASE("the README's chapter about a first skill works as printed") {
  Caller caller(shared_server());
  caller.env.erase("BAND_SKILLS");
  caller.env["PATH"] = std::string(BAND_BIN_DIR) + ":/usr/bin:/bin";
  const std::vector<Step> steps = steps_of_chapter();
  REQUIRE(steps.size() >= 8);
  std::string script;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string at = caller.work("step-" + std::to_string(i));
    script += "{\n" + steps[i].commands + "} > '" + at + "' 2>&1 < /dev/null\n" +
              (steps[i].has_output ? ""
                                   : "status=$?; if ((status != 0)); then echo \"step " + std::to_string(i) +
                                         ": exit status $status\"; fi\n");
  }
  Running bash({"/bin/bash", "-c", script}, caller.env, caller.work(""));
  const Ran ran = bash.wait(120'000);
  CHECK_MESSAGE(ran.out.empty(), ran.text());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string text = read_file(caller.work("step-" + std::to_string(i)));
    CAPTURE(steps[i].commands);
    if (steps[i].has_output) CHECK_MESSAGE(is_as_shown(text, steps[i].shown), text);
  }
  // One more script of the skill, whose band is by now that of the chapter.
  const Ran made = caller.band({"new", "script", "notes/second"});
  CHECK_STATUS(made, 0);
  CHECK_HAS(made.out, "because notes/BAND.md allows what other scripts need");
  const Ran valid = caller.band({"validate", "notes"});
  CHECK_STATUS(valid, 0);
  CHECK_HAS(valid.out, "ok: notes/second notes/title\n");
  CHECK_HAS_NOT(valid.err, "note");
  const Ran second = caller.band({"call", "notes/second", "--name", "World"});
  CHECK_STATUS(second, 0);
  CHECK_HAS(second.out, "Hello, World!");
  CHECK_HAS(caller.band({"why", "notes/second", "--", "git", "hash-object", "./x"}).out, "no      git hash-object ./x");
  const Ran tested = caller.band({"test", "notes"});
  CHECK_STATUS(tested, 0);
  CHECK_HAS(tested.out, "3 passed, 0 failed");
}
