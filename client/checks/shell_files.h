// The shell texts of a skill, read: each run.sh, the *.sh beside it, and those in scripts/_lib. Pure.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "client/shell/reading.h"
#include "client/skills/skills.h"

namespace band::client {

struct ShellFile {
  std::string shown;  // "hello/scripts/greet/run.sh"
  std::string_view text;
  ShellReading reading;
};

// A script's own files; the first is run.sh.
struct ShellScript {
  const Script* script = nullptr;
  std::vector<ShellFile> files;
  bool has_meaning = true;  // LoadedScript::has_meaning()
};

struct ShellSkill {
  std::vector<ShellScript> scripts;
  std::vector<ShellFile> lib;  // which all scripts may use
  bool complete = true;        // every script of the skill is here, with all its files and its band
};

// Of the scripts that have a run.sh. `scripts` must live as long as what is returned.
ShellSkill read_shell_files(const std::vector<LoadedScript>& scripts, bool complete);

// A file with all that its names may mean: a file of a script is read with those of scripts/_lib, and with its own
// band; one of scripts/_lib with every file of the skill, and with the band of any script.
struct ShellScope {
  const ShellFile* file = nullptr;
  std::vector<const ShellFile*> files;
  std::vector<const Script*> scripts;
  bool shared = false;  // it lies in scripts/_lib

  std::set<std::string> assigned() const, functions() const;
  bool mentions(std::string_view text) const;  // in any of the files
  // "s/BAND.md": where a rule for this file is to be written.
  std::string band_file() const;
};

// Calls `visit` for each file of a script that has a meaning, once; for those of scripts/_lib only when the skill is
// complete, because a script that is missing here may give their names one.
void for_each_scope(const ShellSkill& skill, const std::function<void(const ShellScope&)>& visit);

// "write allow: {read: [\"./x\"]} in s/BAND.md"
std::string rule_to_write(const ShellScope& scope, const std::string& domain, const std::string& pattern);

}  // namespace band::client
