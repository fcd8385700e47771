// The rules of one use (read or write) on absolute paths: what they open of the machine.
//
// Both denies hide, whatever the use: a directory that is bound for writing must not show what may not be read. Of what
// lies behind a link both spellings count: the rules open the one that they write, no deny may name either, and the
// operator's ceiling must open the other one, too.
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
    const Domain &domain, &other;    // under the ceiling
    const Domain &ceiling, &beside;  // the operator's, for the same uses
    const FollowedLinks& links;
  };
  static Result<Opening> of(const Of& what);

  bool opens(const std::string& path) const;
  bool denies(const std::string& path) const;
  bool may_open_below(const std::string& path) const;
  // Would every path below `path` be opened, whatever its name (but for leading dots and what is denied there)? False
  // if all of them are denied.
  bool opens_tree(const std::string& path) const;
  // The same, and nothing below it is denied.
  bool covers_tree(const std::string& path) const;
  // Does the operator's ceiling leave nothing at or below `path`, where it really is?
  bool is_closed_by_ceiling(const std::string& path) const;

  struct Start {
    const Rule* rule;
    const PathPattern* pattern;
  };
  // Every layer must open a path, so the shortest list of starts is the first layer's.
  std::vector<Start> starts() const;

  // The denies on paths of the machine: of this use, and of the other one.
  std::vector<const PathPattern*> own_denies() const { return denies_between(0, own_denies_); }
  std::vector<const PathPattern*> other_denies() const { return denies_between(own_denies_, rules_.deny().size()); }
  // The path as it is written, and as it really is, if that differs.
  std::vector<std::string> spellings(const std::string& path) const;

 private:
  Opening(PathRules rules, PathRules ceiling, const Of& what);
  std::vector<const PathPattern*> denies_between(std::size_t first, std::size_t end) const;

  PathRules rules_, ceiling_;
  RuleSet starts_;
  std::size_t own_denies_;  // the first ones of rules_.deny()
  const FollowedLinks* links_;
};

// Everything below `path`, whatever its name is.
Result<PathPattern> tree_below(const std::string& path);

// Adds to each deny on a path of the machine what it comes to without the links on its way.
Status add_real_denies(RuleSet& denies);

}  // namespace band::view
