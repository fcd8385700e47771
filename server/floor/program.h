// The program of a declared command (a command that a band names in `cli`): its location on this machine, and all files
// that the program needs to run from a command floor. A command floor is the root directory that the server makes for
// declared commands (command_floor.h).
//
// Promises: program, interpreter, libraries and data come from files and directories that only root can change and
// every user can read (trusted_path.h). If the program is a script, find_program() determines its interpreter; the
// kernel does not interpret the script's first line in the sandbox. Files are copied without setuid bits, setgid bits
// and file capabilities. A setuid program is refused, because its copy, which has no setuid bit, would behave
// differently.
// Does not cover: the content of Program::directories. The command view mounts these directories of the machine
// unchanged.
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
  std::string path;       // absolute path in the command floor
  std::string source;     // path on the machine
  std::string signature;  // signature of `source`, when it was checked (sources.h)
  bool executable = false;
};

using layout::ProgramDirectory;

struct Program {
  std::string name;  // the command's name as written in the band
  // The beginning of the command line, before the command's arguments: the program's path. If the program is a script:
  // the interpreter, the interpreter's arguments, and the script's path.
  std::vector<std::string> argv;
  std::string essential;  // if argv[0] is an essential command, as for `#!/bin/sh`: its name; otherwise ""
  std::vector<ProgramFile> files;
  std::vector<ProgramFile> libraries;
  std::vector<std::string> loaders;  // the paths in `files` that are dynamic linkers; the kernel itself executes them
  std::vector<Link> links;
  std::vector<ProgramDirectory> directories;
  std::vector<layout::PathRule> paths;  // the paths that the program may open
  std::vector<std::string> env;         // NAME=VALUE; overrides a variable of the same name from any other source
  Starts starts = Starts::Essentials;
  // Log lines about files that the program needs and that are not copied, for example because root does not own them.
  std::vector<std::string> left_out;
  std::vector<Source> sources;  // when one of them changes, the Program is outdated (sources.h)
  std::string key;              // a digest; two Programs with the same key need the same files in the command floor
};

// Finds a program and its files. `name`: the command as the band writes it, a name or an absolute path. Needs
// milliseconds, because the function runs the dynamic linker. Returns SandboxUnavailable when the program is missing or
// cannot be used; if it is missing, the hint names what to install. Returns SkillInvalid when the last component of
// `name` is an essential command, or when `name` is not the name or path of a command.
Result<Program> find_program(const std::string& name, const KnownPrograms& known, Hint hint = Hint::Package);

// Caches the results of find_program(). A result is used until one of its sources changes. The sources are checked at
// most once a second, so a change can stay undetected for one second. One check makes some 50 to 150 calls of stat(2)
// per program. Thread-safe.
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
