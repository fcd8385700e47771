// Everything that `band validate` checks of one skill. Nothing of the skill is executed.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "client/checks/findings.h"

namespace band::client {

struct CheckedSkills : Findings {
  // Notes that the skill's author has marked (known_notes.h): of the scripts' text, and of everything else. The latter
  // are shown all the same: a skill of somebody else must not hide what its own band opens.
  std::vector<Diagnostic> known, known_of_band;
  std::vector<std::string> skills, scripts;  // names, "hello" and "hello/greet"
};

struct CheckOptions {
  std::string shellcheck;      // the program; "": it is not run
  int shellcheck_ms = 60'000;  // of one skill
  std::function<void(const std::string& file)> progress = [](const std::string&) {};
};

// `directory` is the skill; its name is that of the skill.
void check_skill(const std::filesystem::path& directory, const CheckOptions& options, CheckedSkills& found);

// Each finding once, those of a file side by side.
void sort_findings(CheckedSkills& found);

}  // namespace band::client
