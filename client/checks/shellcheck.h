// Runs shellcheck on a skill's scripts, if it is installed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/checks/shell_files.h"
#include "schemas/core/diagnostic.h"

namespace band::client {

struct Shellcheck {
  std::string program;
  int ms = 60'000;                                        // for all files together
  std::function<void(const std::string& file)> progress;  // called with each file before it is checked
};

// Calls the program once for each file, with the text on its standard input: it reads neither the skill's files nor
// configuration files. Warnings and errors become notes. shellcheck cannot see variables set by a sourced file: SC2034
// and SC2154 are disabled for files that source others, and for those of scripts/_lib. Limits of a call: 20 s, 1 GiB of
// memory where the system supports the limit, files of at most 256 KiB. Each file that was not checked is named in a
// note.
void run_shellcheck(const Shellcheck& shellcheck, const ShellSkill& skill, std::vector<Diagnostic>& notes);

// Adds the notes of one file from the output of `shellcheck -f json1`. Returns false for other output. Pure.
bool read_shellcheck(const std::string& file, const std::string& json, std::vector<Diagnostic>& notes);

}  // namespace band::client
