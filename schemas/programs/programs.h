// What band knows of the programs that a band may declare: where they are looked for, what each needs beside its own
// file, and what keeps it from running what a file tells it to. Written in programs.yaml as an operator writes it in
// server.yaml (docs/server.md), who adds to it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/rules/reader.h"

namespace band {

// Which other programs a command may start by itself. Those that its band declares it always may, through the shims.
enum class Starts { Nothing, Essentials };

struct ProgramNeeds {
  std::string package;  // Debian's, for the message when the program is missing
  Starts starts = Starts::Essentials;
  bool certificates = false;  // it speaks TLS
  bool interpreter = false;   // it runs what a file or an argument tells it to: argument rules do not bind that
  bool reexec = false;        // it starts itself, or a part of itself, with other arguments
  // Absolute paths of the machine, with the wildcards of glob(3). What is not there is left out.
  std::vector<std::string> read;  // data
  std::vector<std::string> load;  // data with shared libraries in it (modules, plugins)
  std::vector<std::string> run;   // data with programs in it that it starts
  std::map<std::string, std::string> env;
};

struct KnownPrograms {
  std::vector<std::string> directories;   // in which a name is looked for, in this order
  std::vector<std::string> certificates;  // where the machine keeps those of the authorities
  std::map<std::string, ProgramNeeds, std::less<>> programs;

  // By its name; an interpreter also by that of one version ("python3.11", "ruby3.1"). Null: nothing is known of it.
  const ProgramNeeds* find(std::string_view name) const;
};

const KnownPrograms& built_in_programs();

// Adds what a file says at "/commands": its directories before those that are known, lists to lists, variable by
// variable; `package`, `starts` and the flags take the place of what is known.
void add_programs(RuleReader& reader, KnownPrograms& known);

}  // namespace band
