// The parsed shell texts of a skill: each run.sh, the *.sh in its directory, and those in scripts/_lib. Pure.
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

// The files of one script; the first is run.sh.
struct ShellScript {
  const Script* script = nullptr;
  std::vector<ShellFile> files;
  bool has_meaning = true;  // LoadedScript::has_meaning()
};

struct ShellSkill {
  std::vector<ShellScript> scripts;
  std::vector<ShellFile> lib;  // *.sh of scripts/_lib, which all scripts may use
  bool complete = true;        // all scripts of the skill were loaded, with their files and bands
};

// Reads the scripts that have a run.sh. `scripts` must outlive the result.
ShellSkill read_shell_files(const std::vector<LoadedScript>& scripts, bool complete);

// A file with the context in which its names are resolved. A file of a script: the script's files, those of
// scripts/_lib, and its band. A file of scripts/_lib: all files of the skill, and the band of any script.
struct ShellScope {
  const ShellFile* file = nullptr;
  std::vector<const ShellFile*> files;
  std::vector<const Script*> scripts;
  bool shared = false;  // the file is in scripts/_lib

  std::set<std::string> assigned() const, functions() const;
  bool mentions(std::string_view text) const;  // in any of the files
  // "s/BAND.md": the file in which to write a rule for this file.
  std::string band_file() const;
};

// Calls `visit` once for each file of a script with has_meaning; for files of scripts/_lib only if the skill is
// complete, because a script that was not loaded may define the names they use.
void for_each_scope(const ShellSkill& skill, const std::function<void(const ShellScope&)>& visit);

// "write allow: {read: [\"./x\"]} in s/BAND.md"
std::string rule_to_write(const ShellScope& scope, const std::string& domain, const std::string& pattern);

}  // namespace band::client
