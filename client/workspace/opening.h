// PathRules for paths of one kind (workspace or machine), with functions for walking a tree. Pure.
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
  // Uses the patterns of `domain` that are relative (workspace), or those that are absolute (machine).
  static Result<Opening> of(const Domain& domain, bool absolute);

  // Returns true if a pattern matches in every layer, and neither the path nor a parent directory is denied.
  bool opens(std::string_view path) const;
  // Returns what opens() would return if wildcards matched names that begin with a dot.
  bool opens_but_for_dots(std::string_view path) const;
  // Returns false only if no path at or below `directory` can be opened.
  bool may_open_below(std::string_view directory) const;
  // Returns the paths in patterns without wildcards, even if they are not opened.
  std::set<std::string> literals() const;
  // Returns the start directories of a walk: literal prefixes, none of them below another.
  std::vector<std::string> starts() const;
  bool nothing() const;
  const PathRules& rules() const { return rules_; }

 private:
  PathRules rules_;
  bool absolute_ = false;
};

// Checks whether a file may be written back under this name. `writes`: the paths of the workspace that `write` opens.
// Checks only the name, not the disk. Error (Code::PermissionDenied): "PATH is in a .git, which band never writes".
Status may_come_back(const Opening& writes, const std::string& path);

}  // namespace band::client
