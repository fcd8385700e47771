// What the text of a program tests: files, programs and variables without which it continues, and directories that it
// lists. Found by the text alone; of a path that the program computes, its literal end is found. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "client/hints/authored.h"

namespace band::client {

struct Tested {
  std::set<std::string> paths;      // `[ -f conf.ini ]`, os.path.exists("conf.ini")
  std::set<std::string> composed;   // the literal end of a path: "data/x" of `[ -f "$1/data/x" ]` and base / "data/x"
  std::set<std::string> beside;     // the same, if the beginning is the directory of the program's file, or one above
  std::set<std::string> mentioned;  // literals that can be the name of a file: "pnpm-lock.yaml" in a list
  std::set<std::string> programs;   // `command -v gh`
  std::set<std::string> started;    // programs that Python or Node.js starts: subprocess.run(["git", "log"])
  std::set<std::string> variables;  // `${NAME:-default}`, os.environ.get("NAME"), process.env.NAME
  std::set<std::string> of_home;    // relative to the home directory: ".tool/db" of `~/.tool/db`
  std::set<std::string> looped;     // directories in whose entries the script loops: `for d in skills/*`
  // Of `[ -x tools/lint.sh ]`; for a path that begins with a variable, also the last component.
  std::set<std::string> executables;
  bool lists_directory = false;  // it lists a directory, and takes the current one if it is not given another
  bool names_directory = false;  // it uses the name of the current directory: `basename "$PWD"`
};

inline constexpr std::size_t kMostTested = 100;  // names in each set

// Adds what the text of a program in Python or JavaScript tests (tested_code.cc), and what a shell text tests
// (tested_shell.cc).
void find_tests_of_code(std::string_view text, Tested& tested);
void find_tests_of_shell(std::string_view text, Tested& tested);

// Examines the texts of the script and of the files that it, or one of these files, names.
Tested tested_by(const Authored& authored);
// Returns whether tested_by() can find something in the text. Fast: for every run.
bool has_test(std::string_view text);

}  // namespace band::client
