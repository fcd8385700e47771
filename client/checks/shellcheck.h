// Runs shellcheck on a skill's scripts. check_skill() runs it only if CheckOptions::shellcheck is not empty.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/checks/shell_files.h"
#include "schemas/core/diagnostic.h"

namespace band::client {

struct Shellcheck {
  std::string program;  // the path of shellcheck; must not be empty
  int ms = 60'000;      // time limit for all files together
  // Called with the name of each file before the file is checked. Must not be empty.
  std::function<void(const std::string& file)> progress;
};

// Calls shellcheck once for each file, with the text on its standard input, so that shellcheck reads no file of the
// skill and no configuration file. Adds a note for each warning and error of shellcheck, at most 50 for one file.
//
// shellcheck does not read the files that a script sources, so it cannot find the variables that these files set or
// use. Therefore the checks of variables (SC2034 and SC2154) are disabled for files that source others or call `eval`,
// and for files of scripts/_lib.
//
// Limits of one call: 20 s, a text of 256 KiB, and 1 GiB of address space (macOS ignores this limit). Adds a note for
// each file that was not checked, for example because a limit was reached. If Shellcheck::ms has passed, one note names
// the files that were not checked.
void run_shellcheck(const Shellcheck& shellcheck, const ShellSkill& skill, std::vector<Diagnostic>& notes);

// Parses the output of `shellcheck -f json1` about one file, and adds a note for each of its first 50 entries. Returns
// false when the output has another form. Pure.
bool read_shellcheck(const std::string& file, const std::string& json, std::vector<Diagnostic>& notes);

}  // namespace band::client
