// Which paths the rules open: PathRules for one kind of path, for walking a tree. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/rules/path_rules.h"
#include "schemas/rules/rules.h"

namespace band::client {

class Opening {
 public:
  // Of `domain`, the patterns that are relative (the workspace's), or those that are absolute (the machine's).
  static Result<Opening> of(const Domain& domain, bool absolute);

  // In every layer some pattern matches, and neither the path nor a directory above it is denied.
  bool opens(std::string_view path) const;
  // Would opens() be true if wildcards matched names that begin with a dot?
  bool opens_but_for_dots(std::string_view path) const;
  // Could anything at or below `directory` be opened? Never a false no.
  bool may_open_below(std::string_view directory) const;
  // What patterns without wildcards name, opened or not.
  std::set<std::string> literals() const;
  // Where a walk has to start: literal prefixes, none beneath another.
  std::vector<std::string> starts() const;
  bool nothing() const;
  const PathRules& rules() const { return rules_; }

 private:
  PathRules rules_;
  bool absolute_ = false;
};

// May a file be written back under this name? `writes` is what `write` opens of the workspace. Names alone: what is on
// the disk is not looked at. Error (Code::PermissionDenied): "PATH lies in a .git, which band never writes".
Status may_come_back(const Opening& writes, const std::string& path);

}  // namespace band::client
