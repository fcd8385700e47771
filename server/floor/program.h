// A declared command: its location on this machine, and all files that it needs to run in a separate tree.
//
// Promises: program, interpreter, libraries and data come from files and directories that only root may write to,
// including all parent directories, and that every user may read. A script's interpreter is determined here, so that no
// process in a sandbox interprets its first line. Files are copied without setuid and setgid bits and capabilities. A
// setuid program is refused, because it would behave differently without this bit.
// Does not cover: the content of the directories, which the view shows unchanged.
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
  std::string path;    // absolute path in the command's tree
  std::string source;  // path on the machine
  std::string signature;
  bool executable = false;
};

using layout::ProgramDirectory;

struct Program {
  std::string name;               // as written in the band
  std::vector<std::string> argv;  // precedes the arguments: the program; or interpreter, its arguments, and script
  std::string essential;          // the name of the essential command in argv[0] (`#!/bin/sh`), or ""
  std::vector<ProgramFile> files;
  std::vector<ProgramFile> libraries;
  std::vector<std::string> loaders;  // those of `files` that are dynamic linkers, which the kernel executes
  std::vector<Link> links;
  std::vector<ProgramDirectory> directories;
  std::vector<layout::PathRule> paths;  // the paths that it may open
  std::vector<std::string> env;         // NAME=VALUE, overrides all other variables
  Starts starts = Starts::Essentials;
  std::vector<std::string> left_out;  // files that are left out, for example not owned by root: log lines
  std::vector<Source> sources;
  std::string key;  // changes when the program or its sources change
};

// Runs the dynamic linker, which takes milliseconds. A missing program is SandboxUnavailable with a hint what to
// install.
Result<Program> find_program(const std::string& name, const KnownPrograms& known, Hint hint = Hint::Package);

// Caches find_program() until a source changes. Sources are checked at most once a second (some 50 to 150 stat(2) per
// program). Thread-safe.
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
