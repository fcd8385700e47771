// What shellcheck says of a skill's scripts, where it is installed.
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
  std::function<void(const std::string& file)> progress;  // is told each file
};

// One call of the program for each file, with the text on its standard input: it reads neither the skill's files nor
// configuration files. Warnings and errors become notes. What a sourced file sets shellcheck cannot know: SC2034 and
// SC2154 are left out for files that source others, and for those of scripts/_lib. A call has 20 s, 1 GiB of memory
// where the system can bound it, and files of 256 KiB at most; a note names each file that was not checked.
void run_shellcheck(const Shellcheck& shellcheck, const ShellSkill& skill, std::vector<Diagnostic>& notes);

// One file's share of it, of the JSON that `shellcheck -f json1` printed. False when it is no such JSON. Pure.
bool read_shellcheck(const std::string& file, const std::string& json, std::vector<Diagnostic>& notes);

}  // namespace band::client
