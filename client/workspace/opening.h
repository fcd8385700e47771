// Which paths the rules open: PathRules for one kind of path, for walking a tree. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

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

 private:
  PathRules rules_;
  bool absolute_ = false;
};

}  // namespace band::client
