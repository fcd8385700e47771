// The read or write domain of rules, with its patterns parsed once: may this path be touched?
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
  const char* section = "";  // of `rule`: "allow", "insist" or "deny"
  std::optional<Rule> rule;  // that opens the path (the band's own if several layers do), or that denies it
  // Closed: of a deny, its place among the denies; else, without a rule, of the first layer that does not open it.
  std::size_t index = 0;
};

class PathRules {
 public:
  static Result<PathRules> compile(const Domain& domain);

  // Opened by every layer, and by no deny. `path` as for PathPattern::matches; `absolute` says which kind it is.
  // A deny is read as PathPattern::Reading::Denies: its wildcards match names that begin with a dot, too. And it denies
  // everything below what it names: `deny: ["./private"]` is meant that way by whoever writes it.
  bool opens(std::string_view path, bool absolute) const;
  bool denies(std::string_view path, bool absolute) const;
  // The same as opens(), with the rule that decides.
  PathVerdict judge(std::string_view path, bool absolute) const;
  // Could any path at or below `dir` be open? Never a false no.
  bool may_open_below(std::string_view dir, bool absolute) const;

  const std::vector<std::vector<PathPattern>>& opened() const { return opened_; }
  const std::vector<PathPattern>& deny() const { return deny_; }

 private:
  static const PathPattern* opening(const std::vector<PathPattern>& layer, std::string_view path, bool absolute);
  const PathPattern* denying(std::string_view path, bool absolute) const;

  Domain domain_;  // as it was written: each pattern below has the place of its rule
  std::vector<std::vector<PathPattern>> opened_;
  std::vector<PathPattern> deny_;
};

}  // namespace band
