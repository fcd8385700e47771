// Kinds of access to a path of the view. The same list of PathRules determines two things: the paths that the view
// mounts, and the accesses that Landlock allows.
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

// A directory of the machine that a declared program needs: the program sees it read-only at the same path.
struct ProgramDirectory {
  std::string path;
  bool executable = false;  // the directory contains libraries or programs, so its mount must not be noexec
};

}  // namespace band::layout
