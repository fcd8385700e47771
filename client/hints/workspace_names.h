// Names of files of the workspace in values and logs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "client/hints/failure.h"

namespace band::client {

// path_in_workspace(), also for a path as the script sees it: "a/b" for "/work/a/b".
std::optional<std::string> path_for_script(std::string_view text, const Tree& workspace);

// What a path of the workspace is, and why the script did not get it.
struct Unsent {
  std::string path;  // "" is the workspace itself
  bool directory = false;
  std::string why;  // "begins with a dot, ..."; "" if only the rules are the reason
};
// Returns nullopt if there is no such file or directory, if the file was sent, if at least one file of the directory
// was sent, and for an empty directory.
std::optional<Unsent> unsent(const std::string& path, const Failure& failure);

// Returns the mend, or the reason, for a hint: "; add `--read src/`".
class Mend;
std::string mend_of(const Unsent& unsent, const Mend& mend);

}  // namespace band::client
