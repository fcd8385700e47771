// What bash says of a skill's scripts without running them: `bash -n`.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/diagnostic.h"

namespace band::client {

// Each scripts/NAME/run.sh and each *.sh in scripts/_lib, by the bash that $PATH names. An error is the first place
// that bash cannot read; a warning of bash's, and what was not checked and why (no bash, more time than it is given),
// are notes. Files that are missing or cannot be read are load_script()'s to complain about.
void check_syntax(const std::string& skill, const std::string& skill_directory, const std::vector<std::string>& scripts,
                  std::vector<Diagnostic>& errors, std::vector<Diagnostic>& notes);

// One file's share of it. `bash` is a path, `file` what messages call the file.
void check_bash(const std::string& bash, const std::string& file, const std::string& content,
                std::vector<Diagnostic>& errors, std::vector<Diagnostic>& notes);

// The note of what was not checked.
Diagnostic unchecked_syntax(const std::string& file, const std::string& why, std::string hint);

// What bash says of one file, from what `bash -n` printed about /dev/stdin. Pure.
void read_bash_report(const std::string& file, const std::string& report, std::vector<Diagnostic>& errors,
                      std::vector<Diagnostic>& notes);

}  // namespace band::client
