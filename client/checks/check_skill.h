// Everything that `band validate` checks of one skill. No file of the skill is executed.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "client/checks/findings.h"

namespace band::client {

struct CheckedSkills : Findings {
  // Notes that the skill's author has marked as known (known_notes.h): those on the scripts' text, and all others. The
  // others are shown regardless: a skill from another author must not hide what its band opens.
  std::vector<Diagnostic> known, known_of_band;
  std::vector<std::string> skills, scripts;  // names, "hello" and "hello/greet"
};

struct CheckOptions {
  std::string shellcheck;      // path of the program; "": it is not run
  int shellcheck_ms = 60'000;  // for one skill
  std::function<void(const std::string& file)> progress = [](const std::string&) {};
};

// Adds the findings for the skill in `directory`, whose last component is the skill's name.
void check_skill(const std::filesystem::path& directory, const CheckOptions& options, CheckedSkills& found);

// Removes duplicates and sorts the findings by file and line.
void sort_findings(CheckedSkills& found);

}  // namespace band::client
