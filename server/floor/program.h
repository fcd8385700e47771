// A declared command: where it is on this machine, and all that it needs to run in a tree of its own.
//
// Promises: program, interpreter, libraries and data come from files and directories that root alone may write to, on
// every step of the way, and that everybody may read; a script's interpreter is found when the program is, so that
// nothing in a sandbox reads its first line; files are copied without setuid, setgid and capabilities, and a program
// that is setuid, which would be another one without, is refused.
// Does not cover: what is inside the directories, which the view shows as the machine has them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/programs/programs.h"
#include "server/floor/locate.h"
#include "server/floor/sources.h"
#include "server/floor/trusted_path.h"
#include "server/layout/access.h"

namespace band::floor {

struct ProgramFile {
  std::string path;    // in the command's tree, absolute
  std::string source;  // on the machine
  std::string signature;
  bool executable = false;
};

using layout::ProgramDirectory;

struct Program {
  std::string name;               // as the band has it
  std::vector<std::string> argv;  // stands before the arguments: the program, or interpreter, its arguments, script
  std::string essential;          // the essential command that argv[0] is ("" for none): `#!/bin/sh`
  std::vector<ProgramFile> files;
  std::vector<ProgramFile> libraries;
  std::vector<std::string> loaders;  // of `files`: what the kernel starts dynamic programs with
  std::vector<Link> links;
  std::vector<ProgramDirectory> directories;
  std::vector<layout::PathRule> paths;  // what it may open of all that
  std::vector<std::string> env;         // NAME=VALUE, stronger than all other variables
  Starts starts = Starts::Essentials;
  std::vector<std::string> left_out;  // data that it could use but that is not root's alone: a line each for the log
  std::vector<Source> sources;
  std::string key;  // the same as long as the program and the sources are
};

// Takes milliseconds: it asks the dynamic linker. A program that is missing is SandboxUnavailable and says what to
// install.
Result<Program> find_program(const std::string& name, const KnownPrograms& known, Hint hint = Hint::Package);

// The same from memory as long as no source has changed, which is looked at once a second at most (some 50 to 150
// stat(2) a program). For any thread.
class Programs {
 public:
  explicit Programs(KnownPrograms known) : known_(std::move(known)) {}
  Result<std::shared_ptr<const Program>> find(const std::string& name, Hint hint = Hint::Package);

 private:
  struct Remembered {
    std::shared_ptr<const Program> program;
    std::int64_t checked_us = 0;
  };

  const KnownPrograms known_;
  std::mutex mutex_;
  std::map<std::string, Remembered> remembered_;
};

}  // namespace band::floor
