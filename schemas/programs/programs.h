// The programs that a band may declare: the directories in which band looks for them, the further files that each
// needs, and its properties. The built-in data is in programs.yaml, in the format of server.yaml (docs/server.md),
// where the operator can add to it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/rules/reader.h"

namespace band {

// The other programs that a command may start directly. It may always start the programs that its band declares,
// through their shims.
enum class Starts { Nothing, Essentials };

struct ProgramNeeds {
  std::string package;  // the Debian package, for the message when the program is missing
  Starts starts = Starts::Essentials;
  bool certificates = false;  // it uses TLS
  bool interpreter = false;   // it runs code from files or arguments, which rules for its arguments do not restrict
  bool reexec = false;        // it starts itself, or a part of itself, with other arguments
  // Absolute paths of the machine, with the wildcards of glob(3). Missing paths are skipped.
  std::vector<std::string> read;  // data
  std::vector<std::string> load;  // data with shared libraries (modules, plugins)
  std::vector<std::string> run;   // data with programs that it starts
  std::map<std::string, std::string> env;
};

struct KnownPrograms {
  std::vector<std::string> directories;   // searched for a name, in this order
  std::vector<std::string> certificates;  // the machine's certificates of certification authorities
  std::map<std::string, ProgramNeeds, std::less<>> programs;

  // Finds a program by its name, an interpreter also by a name with a version ("python3.11", "ruby3.1"). Returns null
  // for an unknown program.
  const ProgramNeeds* find(std::string_view name) const;
};

const KnownPrograms& built_in_programs();

// Adds the entries of a file at "/commands": its directories are searched first, lists are appended, and variables,
// `package`, `starts` and the flags replace the previous values.
void add_programs(RuleReader& reader, KnownPrograms& known);

}  // namespace band
