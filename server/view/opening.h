// An Opening evaluates the rules of one use (read or write) on absolute paths of the machine. Paths here have no
// leading '/'.
//
// A path is *open* for a use if each layer of the rules has an allow or insist that matches the path, and no deny
// matches the path. The layers are the operator's ceiling (rules that narrow every request), the band, and the bands
// that the band extends.
//
// The denies of `read` apply to writing, too, because a directory that is bound for writing must not show files that
// may not be read. A path that contains a followed link (links.h) has two spellings: as written, and without links.
// Such a path is open if the path as written is open, no deny matches the path without links, and the operator's
// ceiling allows the path without links.
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
    // `domain`: the rules of this use. `other`: the rules of `read`, whose denies apply to this use, too. Both are
    // already intersected with the ceiling.
    const Domain &domain, &other;
    // The ceiling alone: its rules for the use of `domain` (`ceiling`) and for the use of `other` (`beside`).
    const Domain &ceiling, &beside;
    // Must outlive the Opening; the other members are copied.
    const FollowedLinks& links;
  };
  static Result<Opening> of(const Of& what);

  bool opens(const std::string& path) const;           // returns true when `path` is open
  bool denies(const std::string& path) const;          // returns true when a deny matches a spelling of `path`
  bool may_open_below(const std::string& path) const;  // returns false only if no path below `path` is open
  // Returns true when the patterns of every layer cover all paths below `path`, no deny matches `path` itself, and no
  // deny covers all paths below it. Then every path below `path` is open, except names with a leading dot and denied
  // paths.
  bool opens_tree(const std::string& path) const;
  // Returns true when opens_tree() returns true and, in addition, no path below `path` is denied.
  bool covers_tree(const std::string& path) const;
  // Returns true when the operator's ceiling allows no path at or below `path`. Links in `path` are resolved first.
  bool is_closed_by_ceiling(const std::string& path) const;

  struct Start {
    const Rule* rule;
    const PathPattern* pattern;
  };
  // Returns the rules whose patterns are the starting points of a walk (walk.h): the rules on absolute paths of the
  // first layer, which is that of the band. These rules are sufficient, because each open path matches a rule of every
  // layer. The pointers are valid while the Opening exists.
  std::vector<Start> starts() const;

  // Return the denies on paths of the machine: own_denies() the denies of Of::domain, other_denies() the denies of
  // Of::other.
  std::vector<const PathPattern*> own_denies() const { return denies_between(0, own_denies_); }
  std::vector<const PathPattern*> other_denies() const { return denies_between(own_denies_, rules_.deny().size()); }
  // Returns the path as written and, if it differs, the path without links, in this order.
  std::vector<std::string> spellings(const std::string& path) const;

 private:
  Opening(PathRules rules, PathRules ceiling, const Of& what);
  std::vector<const PathPattern*> denies_between(std::size_t first, std::size_t end) const;

  PathRules rules_, ceiling_;
  RuleSet starts_;
  std::size_t own_denies_;  // the denies of Of::domain are the first `own_denies_` in rules_.deny()
  const FollowedLinks* links_;
};

// Returns a pattern that matches all paths below `path`. Wildcard characters in `path` are escaped.
Result<PathPattern> tree_below(const std::string& path);

// For each deny on a path of the machine with links in its literal part (before the first wildcard), adds a second deny
// in which these links are resolved.
Status add_real_denies(RuleSet& denies);

}  // namespace band::view
