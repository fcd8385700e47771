// The read or write domain of rules, with its patterns parsed once: may this path be touched?
#pragma once

#include <string_view>
#include <vector>

#include "schemas/pattern/pattern.h"
#include "schemas/rules/rules.h"

namespace band {

class PathRules {
 public:
  static Result<PathRules> compile(const Domain& domain);

  // Opened by every layer, and by no deny. `path` as for PathPattern::matches; `absolute` says which kind it is.
  // A deny is read as PathPattern::Reading::Denies: its wildcards match names that begin with a dot, too. And it denies
  // everything below what it names: `deny: ["./private"]` is meant that way by whoever writes it.
  bool opens(std::string_view path, bool absolute) const;
  bool denies(std::string_view path, bool absolute) const;
  // Could any path at or below `dir` be open? Never a false no.
  bool may_open_below(std::string_view dir, bool absolute) const;

  const std::vector<std::vector<PathPattern>>& opened() const { return opened_; }
  const std::vector<PathPattern>& deny() const { return deny_; }

 private:
  std::vector<std::vector<PathPattern>> opened_;
  std::vector<PathPattern> deny_;
};

}  // namespace band
