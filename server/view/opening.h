// Evaluates the rules of one use (read or write) on absolute paths of the machine.
//
// The denies of both uses apply to each use: a directory that is bound for writing must not show files that may not be
// read. A path that contains a link has two spellings, as written and without links. The rules must open the first, no
// deny may match either, and the operator's ceiling must open the second, too.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/rules/path_rules.h"
#include "schemas/rules/rules.h"
#include "server/view/links.h"

namespace band::view {

class Opening {
 public:
  struct Of {
    const Domain &domain, &other;    // the rules of this use and of the other one, intersected with the ceiling
    const Domain &ceiling, &beside;  // the operator's ceiling for the same uses
    const FollowedLinks& links;
  };
  static Result<Opening> of(const Of& what);

  bool opens(const std::string& path) const;
  bool denies(const std::string& path) const;
  bool may_open_below(const std::string& path) const;
  // Returns true when every path below `path` is opened, except names with a leading dot and denied paths. Returns
  // false when all of them are denied.
  bool opens_tree(const std::string& path) const;
  // Returns true when opens_tree() does and no path below `path` is denied.
  bool covers_tree(const std::string& path) const;
  // Returns true when the operator's ceiling opens no path at or below `path`, with links resolved.
  bool is_closed_by_ceiling(const std::string& path) const;

  struct Start {
    const Rule* rule;
    const PathPattern* pattern;
  };
  // Returns the rules from which a walk starts. A path must be opened by every layer, so those of the first suffice.
  std::vector<Start> starts() const;

  // The denies on paths of the machine, of this use and of the other one.
  std::vector<const PathPattern*> own_denies() const { return denies_between(0, own_denies_); }
  std::vector<const PathPattern*> other_denies() const { return denies_between(own_denies_, rules_.deny().size()); }
  // Returns the path as written, and without links if that differs.
  std::vector<std::string> spellings(const std::string& path) const;

 private:
  Opening(PathRules rules, PathRules ceiling, const Of& what);
  std::vector<const PathPattern*> denies_between(std::size_t first, std::size_t end) const;

  PathRules rules_, ceiling_;
  RuleSet starts_;
  std::size_t own_denies_;  // the number of denies of this use, which are first in rules_.deny()
  const FollowedLinks* links_;
};

// Returns a pattern for all paths below `path`, also when its name contains wildcard characters.
Result<PathPattern> tree_below(const std::string& path);

// For each deny on a path of the machine that contains links, adds the deny with the links resolved.
Status add_real_denies(RuleSet& denies);

}  // namespace band::view
