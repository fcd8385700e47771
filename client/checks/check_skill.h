// Runs all checks of `band validate` on one skill. No file of the skill is executed.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "client/checks/findings.h"

namespace band::client {

struct CheckedSkills : Findings {
  // Notes that the skill's author has marked as known (known_notes.h). `known`: notes on the text of scripts, which
  // `band validate` hides. `known_of_band`: all other marked notes, which `band validate` shows, because a skill must
  // not hide from its users what its band allows.
  std::vector<Diagnostic> known, known_of_band;
  std::vector<std::string> skills, scripts;  // names of what was checked: "hello" and "hello/greet"
};

struct CheckOptions {
  std::string shellcheck;      // path of shellcheck; "": shellcheck is not run
  int shellcheck_ms = 60'000;  // time limit of shellcheck for all files of one skill
  std::function<void(const std::string& file)> progress = [](const std::string&) {};
};

// Adds the findings for the skill in `directory`, whose last component is the skill's name.
void check_skill(const std::filesystem::path& directory, const CheckOptions& options, CheckedSkills& found);

// Removes duplicates and sorts the findings by file and line.
void sort_findings(CheckedSkills& found);

}  // namespace band::client
