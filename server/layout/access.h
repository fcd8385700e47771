// How a path of the view may be used: what the view shows and what Landlock grants are the same list.
#pragma once

#include <cstdint>
#include <string>

namespace band::layout {

enum class Access : std::uint8_t {
  List,         // read directories
  Read,         // read files and directories
  ReadExecute,  // and execute
  Device,       // read and write a file, nothing made or removed
  Write,        // write, make, remove, rename files and directories; neither read nor execute
  ReadWrite,    // both
  Own,          // and links, sockets and FIFOs: what ends with the execution, and nobody of the machine follows
};

struct PathRule {
  std::string path;  // as the view shows it
  Access access = Access::Read;
};

// A directory of the machine that a declared program needs: shown to it read-only at the same place.
struct ProgramDirectory {
  std::string path;
  bool executable = false;  // it holds libraries or programs: must not be mounted noexec
};

}  // namespace band::layout
