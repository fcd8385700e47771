// The rules of `read` or of `write` for paths of one kind (of the workspace or of the machine). Decides whether they
// open a path, and which directories a walk through a tree must visit. The rules open a path when an allow or insist
// rule of every layer matches it, and no deny rule matches the path or one of its parent directories. A layer is a list
// of allow and insist rules, such as those of one band (Domain in rules.h). Pure.
#pragma once

#include <functional>
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
  // Uses the patterns of `domain` that are relative (workspace), or those that are absolute (machine). `use`: whether
  // `domain` has the rules of `read` or of `write`.
  static Result<Opening> of(const Domain& domain, bool absolute, PathRules::Use use);

  // Returns true if the rules open the path.
  bool opens(std::string_view path) const;
  // Returns whether the rules open the path and spell its last name (PathRules::spells_name()).
  bool spells_name(std::string_view path) const { return rules_.spells_name(path, absolute_); }
  // Returns what opens() would return if wildcards also matched names that begin with a dot, and names that only a rule
  // that spells them opens.
  bool opens_but_for_dots(std::string_view path) const;
  // Returns false only if the rules open neither `directory` nor any path below it.
  bool may_open_below(std::string_view directory) const;
  // Returns what may_open_below() would return if wildcards also matched names that begin with a dot.
  bool may_open_below_but_for_dots(std::string_view directory) const;
  // Returns the paths that patterns without wildcards name, also paths that the rules do not open.
  std::set<std::string> literals() const;
  // Returns the paths at which a walk of the tree must start: PathPattern::literal_prefix() of each pattern of the
  // first layer, without prefixes that are below another prefix. For a pattern without wildcards, this is its whole
  // path. The first layer is enough, because each opened path matches one of its patterns. "" is the root of the tree.
  std::vector<std::string> starts() const;
  // Returns true if there is no layer, or if a layer has no pattern of this kind: then the rules open no path.
  bool nothing() const;
  const PathRules& rules() const { return rules_; }

 private:
  bool every_layer(const std::function<bool(const PathPattern&)>& matches) const;
  bool denies_all_below(std::string_view directory) const;

  PathRules rules_;
  bool absolute_ = false;
};

// Returns success if a file may be written back under this path. `writes`: the rules `write` for the workspace. Checks
// only the path, not the disk. Error: Code::PermissionDenied, such as "PATH is in a .git, which band never writes".
Status may_come_back(const Opening& writes, const std::string& path);

}  // namespace band::client
