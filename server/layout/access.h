// Kinds of access to the paths of a view (the file system of one sandbox). Landlock allows the processes of the view
// only the accesses that a list of PathRules names (server/landlock). The mounts of the view are made separately
// (server/view).
#pragma once

#include <cstdint>
#include <string>

namespace band::layout {

enum class Access : std::uint8_t {
  List,         // read directories
  Read,         // read files and directories
  ReadExecute,  // read files and directories, execute files
  Device,       // read and write a file; nothing is created or removed
  Write,        // write, create, remove, rename files and directories; neither read nor execute
  ReadWrite,    // Read and Write
  Own,          // ReadWrite, and make links, sockets and FIFOs; for directories that only the execution uses
};

struct PathRule {
  std::string path;  // in the view
  Access access = Access::Read;
};

// A directory of the machine that a declared program needs. (A declared program is one that a band names in `cli`; the
// server runs it in the command view.) The program sees the directory read-only at the same path.
struct ProgramDirectory {
  std::string path;
  bool executable = false;  // the directory contains libraries or programs, so its mount must not be noexec
};

}  // namespace band::layout
