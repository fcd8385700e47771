// For tests of the shipped skills: runs the examples of a skill like an agent, and makes copies of a skill with a
// changed script.
#pragma once

#include <filesystem>
#include <set>
#include <sstream>

#include "tests/end_to_end/server_fixture.h"

namespace band::test {

// Returns each line of SKILL.md that is indented by four blanks and begins with `band call`, unchanged.
inline Words examples_of(const std::string& skill) {
  std::istringstream text(read_file(BAND_SOURCE_DIR "/skills/" + skill + "/SKILL.md"));
  const std::string begin = "    band call " + skill + "/";
  Words found;
  for (std::string line; std::getline(text, line);)
    if (line.starts_with(begin)) found.push_back(line.substr(4));
  return found;
}

// Runs the line with bash, in the caller's workspace, with `band` in its PATH.
inline Ran run_example(const Caller& caller, const std::string& line) {
  Environment env = caller.env;
  env["PATH"] = BAND_BIN_DIR ":/usr/bin:/bin";
  return Running({"/usr/bin/bash", "-c", line}, env, caller.work("")).wait(60'000);
}

// Creates a copy of the skill that `band run` of this caller finds. Returns its directory.
inline std::string copy_of(const Caller& caller, const std::string& skill) {
  std::string copy = caller.skills() + "/" + skill;
  if (!exists(copy))
    std::filesystem::copy(BAND_SOURCE_DIR "/skills/" + skill, copy, std::filesystem::copy_options::recursive);
  return copy;
}

// Replaces a script in this copy of the skill. The bands are kept.
inline void change_script(const Caller& caller, const std::string& skill, const std::string& script,
                          const std::string& source) {
  write_file(copy_of(caller, skill) + "/scripts/" + script + "/run.sh", source);
}

// Returns a BAND.md without its allow and insist rules. Denies, limits, variables and includes are kept.
inline std::string without_rules(const std::string& band) {
  std::string bare;
  std::istringstream rows(band);
  bool opens = false;  // inside of allow or insist
  for (std::string row; std::getline(rows, row);) {
    opens = row.starts_with("allow:") || row.starts_with("insist:") || (opens && row.starts_with(" "));
    if (!opens) bare += row + "\n";
  }
  return bare;
}

// Returns `section.domain "pattern"` for each rule that learn has written into a band.
inline std::set<std::string> learnt_lines(const std::string& band) {
  std::set<std::string> lines;
  std::istringstream rows(band);
  std::string section, domain;
  for (std::string row; std::getline(rows, row);) {
    if (row.ends_with(":")) (row.starts_with(" ") ? domain : section) = row.substr(row.find_first_not_of(' '));
    const std::size_t end = row.find("   # run ");
    if (end == std::string::npos) continue;
    const std::size_t begin = row.find("- ") + 2;
    lines.insert(section.substr(0, section.size() - 1) + "." + domain.substr(0, domain.size() - 1) + " " +
                 row.substr(begin, end - begin));
  }
  return lines;
}

inline std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace band::test
