// Names of files of the workspace in values and logs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "client/hints/failure.h"

namespace band::client {

class Mend;

// Returns the path relative to the workspace, of a path as the script or the caller writes it: "a/b" for "a/b", for
// "/work/a/b", the path of the sandbox, and for the workspace's path on the caller's machine followed by "/a/b". Reads
// only the text, because the script can have chosen it: no link of an absolute path is followed.
std::optional<std::string> path_for_script(std::string_view text, const Tree& workspace);

// What a path of the workspace is, and why the script did not get it.
struct Unsent {
  std::string path;
  bool directory = false;
  std::string why;  // "begins with a dot, ..."; "" if only the rules are the reason
};
// Returns nullopt if there is no such file or directory, if the file was sent, if at least one file of the directory
// was sent, and for a directory without files or directories whose names do not begin with a dot.
std::optional<Unsent> unsent(const std::string& path, const Failure& failure);
// Returns whether the file, or at least one file of the directory, was sent.
bool was_sent(const std::string& path, const Failure& failure);

// Returns whether the directory of the workspace has an entry whose name does not begin with a dot. "": the workspace.
bool has_visible_files(const std::string& directory, const Failure& failure);

// Returns a hint for a path that is not in the workspace, but in a directory that could be it: "../lib.sh", or a file
// of the home directory, which no rule can allow on a server with the default ceiling. "" for any other path. Reads
// only the text.
// `given`: the caller has written the path; otherwise a log names it.
std::string text_of_path_above(std::string_view path, const Failure& failure, bool given = false);

// Returns the remedy, or the reason, for a hint: "; add `--read src/`". `property`: as for Mend::file().
std::string mend_of(const Unsent& unsent, const Mend& mend, const std::string& property = "");

}  // namespace band::client
