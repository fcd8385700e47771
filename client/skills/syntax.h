// Checks a skill's scripts with `bash -n`, which parses and does not run them.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/diagnostic.h"

namespace band::client {

// Checks each scripts/NAME/run.sh and each *.sh in scripts/_lib, with the bash in $PATH. The first syntax error of each
// file is added to `errors`. Warnings of bash are added to `notes`. For each file that was not checked, a note with the
// reason (no bash, timeout) is added. Missing and unreadable files are not reported here; load_script() reports them.
void check_syntax(const std::string& skill, const std::string& skill_directory, const std::vector<std::string>& scripts,
                  std::vector<Diagnostic>& errors, std::vector<Diagnostic>& notes);

// Checks one file. `bash`: path of bash; `file`: the name of the checked file in messages.
void check_bash(const std::string& bash, const std::string& file, const std::string& content,
                std::vector<Diagnostic>& errors, std::vector<Diagnostic>& notes);

// Returns the note for a file that was not checked.
Diagnostic unchecked_syntax(const std::string& file, const std::string& why, std::string hint);

// Parses the output of `bash -n /dev/stdin` for one file. Pure.
void read_bash_report(const std::string& file, const std::string& report, std::vector<Diagnostic>& errors,
                      std::vector<Diagnostic>& notes);

}  // namespace band::client
