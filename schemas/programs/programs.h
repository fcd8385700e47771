// Data about the programs that a band may declare: the directories in which band looks for programs, the files that
// each program needs, and other properties of the program. The built-in data is in programs.yaml. The operator can add
// data in server.yaml, in the same format (docs/server.md).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/rules/reader.h"

namespace band {

// The programs that a declared command (a command that the rules of `cli` allow and that is not an essential) can start
// directly: none, or the essentials (essentials.h). In both cases the command can also start all declared commands of
// the band, through their shims.
enum class Starts { Nothing, Essentials };

struct ProgramNeeds {
  std::string package;  // the Debian package, for the message when the program is missing
  Starts starts = Starts::Essentials;
  bool certificates = false;  // the program uses TLS and needs the machine's certificates
  bool interpreter = false;   // the program runs code from files or arguments; no rule of cli restricts this code
  bool reexec = false;        // the program starts itself or a part of itself with other arguments
  // Absolute paths of files and directories of the machine, with the wildcards of glob(3). Missing paths are skipped.
  std::vector<std::string> read;  // data that the program reads
  std::vector<std::string> load;  // data that contains shared libraries (modules, plugins), which the program loads
  std::vector<std::string> run;   // data that contains programs, which the program starts
  std::map<std::string, std::string> env;  // environment variables that the program gets
};

struct KnownPrograms {
  std::vector<std::string> directories;   // in which a program is searched by its name, in this order
  std::vector<std::string> certificates;  // paths of the machine's certificates of certification authorities
  std::map<std::string, ProgramNeeds, std::less<>> programs;

  // Finds a program by its name. Finds an interpreter also by its name with a version ("python3.11", "ruby3.1").
  // Returns null for an unknown program.
  const ProgramNeeds* find(std::string_view name) const;
};

const KnownPrograms& built_in_programs();

// Adds the entries below the key `commands` of the file that `reader` reads. The directories that the file lists are
// searched before those in `known`. The file's other lists are appended to those in `known`. The file's variables,
// `package`, `starts` and true/false values replace those in `known`.
void add_programs(RuleReader& reader, KnownPrograms& known);

}  // namespace band
