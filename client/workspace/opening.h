// PathRules for paths of one kind (workspace or machine), with functions that decide which directories a walk through a
// tree must visit. "Opens" is the word of PathRules: the rules open a path when `allow` or `insist` matches it in every
// layer of the domain, and no `deny` matches the path or one of its parent directories. Pure.
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

  // Returns true if the rules open the path.
  bool opens(std::string_view path) const;
  // Returns what opens() would return if wildcards also matched names that begin with a dot.
  bool opens_but_for_dots(std::string_view path) const;
  // Returns false only if the rules open neither `directory` nor any path below it.
  bool may_open_below(std::string_view directory) const;
  // Returns the paths of patterns without wildcards, also those that the rules do not open.
  std::set<std::string> literals() const;
  // Returns the directories in which a walk of the tree must start: the literal prefixes of the patterns, without
  // prefixes that are below another prefix.
  std::vector<std::string> starts() const;
  bool nothing() const;  // true if the rules open no path
  const PathRules& rules() const { return rules_; }

 private:
  PathRules rules_;
  bool absolute_ = false;
};

// Returns success if a file may be written back under this path. `writes`: the rules `write` for the workspace. Checks
// only the path, not the disk. Error: Code::PermissionDenied, such as "PATH is in a .git, which band never writes".
Status may_come_back(const Opening& writes, const std::string& path);

}  // namespace band::client
