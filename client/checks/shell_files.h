// The parsed shell files of a skill: each run.sh, the *.sh next to it, and the *.sh in scripts/_lib. Pure.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "client/shell/reading.h"
#include "client/skills/skills.h"

namespace band::client {

struct ShellFile {
  std::string shown;  // the name in messages: "hello/scripts/greet/run.sh"
  std::string_view text;
  ShellReading reading;
};

// The files of one script; the first is run.sh.
struct ShellScript {
  const Script* script = nullptr;
  std::vector<ShellFile> files;
  // LoadedScript::has_meaning(): the band and all files were loaded. Otherwise the script's use of commands, variables
  // and files cannot be checked, because a missing part may define or allow them.
  bool has_meaning = true;
};

struct ShellSkill {
  std::vector<ShellScript> scripts;
  std::vector<ShellFile> lib;  // *.sh of scripts/_lib, which all scripts may use
  bool complete = true;        // all scripts of the skill were loaded, with their files and bands
};

// Parses the shell files of one skill: those of the scripts that have a run.sh, and those of scripts/_lib. `complete`:
// see ShellSkill::complete. `scripts` must outlive the result.
ShellSkill read_shell_files(const std::vector<LoadedScript>& scripts, bool complete);

// One file, and the files and bands that can define the variables and commands that this file uses. For a file of a
// script, these are the script's files, the files of scripts/_lib, and the script's band. For a file of scripts/_lib,
// these are all files of the skill, and the bands of all scripts.
struct ShellScope {
  const ShellFile* file = nullptr;
  std::vector<const ShellFile*> files;
  std::vector<const Script*> scripts;
  bool shared = false;  // the file is in scripts/_lib

  // Return the names of the variables that one of `files` assigns, and of the functions that one of `files` defines.
  std::set<std::string> assigned() const, functions() const;
  bool mentions(std::string_view text) const;  // returns whether one of `files` contains the text
  // Returns "s/BAND.md": the BAND.md in which to write a rule that `file` needs.
  std::string band_file() const;
};

// Calls `visit` once for each file of each script with `has_meaning`. Calls it for files of scripts/_lib only if the
// skill is complete, because a script that was not loaded may define names that these files use. The ShellScope is
// valid only during the call.
void for_each_scope(const ShellSkill& skill, const std::function<void(const ShellScope&)>& visit);

// Returns the hint "write allow: {read: [\"./x\"]} in s/BAND.md". If the band extends others that do not allow it,
// either, names their files, too: a rule has an effect only if each of them has it.
std::string rule_to_write(const ShellScope& scope, const std::string& domain, const std::string& pattern);

}  // namespace band::client
