// Runs all checks of `band validate` on one skill. No file of the skill is executed.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "client/checks/findings.h"

namespace band::client {

struct CheckedSkills : Findings {
  // Notes that the skill's author has marked as known by a comment (known_notes.h). `known`: marked notes on the text
  // of scripts; `band validate` prints only their number. `known_of_band`: all other marked notes; `band validate`
  // shows them, because an author must not be able to hide from users what a band allows.
  std::vector<Diagnostic> known, known_of_band;
  std::vector<std::string> skills, scripts;  // names of the checked skills ("hello") and scripts ("hello/greet")
};

struct CheckOptions {
  std::string shellcheck;      // path of shellcheck; "": shellcheck is not run
  int shellcheck_ms = 60'000;  // time limit of shellcheck for all files of one skill
  // Called with the name of each file before shellcheck checks it. Must not be empty.
  std::function<void(const std::string& file)> progress = [](const std::string&) {};
};

// Adds the findings for the skill in `directory`, whose last component is the skill's name.
void check_skill(const std::filesystem::path& directory, const CheckOptions& options, CheckedSkills& found);

// Removes duplicates and sorts the findings by file and line.
void sort_findings(CheckedSkills& found);

}  // namespace band::client
