// The read or write domain of rules with parsed patterns. Decides whether a path is open.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "schemas/pattern/pattern.h"
#include "schemas/rules/rules.h"

namespace band {

struct PathVerdict {
  bool allowed = false;
  const char* section = "";  // the section of `rule`: "allow", "insist" or "deny"
  std::optional<Rule> rule;  // the rule that opens the path (the band's own if several layers do) or denies it
  // If closed: the index of the deny; or, without a rule, the index of the first layer that does not open the path.
  std::size_t index = 0;
};

class PathRules {
 public:
  static Result<PathRules> compile(const Domain& domain);

  // Returns whether every layer opens the path and no deny matches it. `path` as for PathPattern::matches; `absolute`:
  // a path of the machine, not of the workspace. A deny is read as PathPattern::Reading::Denies (its wildcards match
  // names that begin with a dot, too) and closes everything below it: users expect this of `deny: ["./private"]`.
  bool opens(std::string_view path, bool absolute) const;
  bool denies(std::string_view path, bool absolute) const;
  // As opens(), with the deciding rule.
  PathVerdict judge(std::string_view path, bool absolute) const;
  // Returns false only if no path at or below `dir` can be open; may return true without one.
  bool may_open_below(std::string_view dir, bool absolute) const;

  const std::vector<std::vector<PathPattern>>& opened() const { return opened_; }
  const std::vector<PathPattern>& deny() const { return deny_; }

 private:
  static const PathPattern* opening(const std::vector<PathPattern>& layer, std::string_view path, bool absolute);
  const PathPattern* denying(std::string_view path, bool absolute) const;

  Domain domain_;  // the rules; each pattern in opened_ and deny_ has the same index as its rule
  std::vector<std::vector<PathPattern>> opened_;
  std::vector<PathPattern> deny_;
};

}  // namespace band
