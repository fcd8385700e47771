// The rules of `read` or of `write`, with parsed patterns. Decides whether a path is allowed.
//
// In the names here, "the rules open a path" means that they allow it: every layer (Domain in rules.h) has a rule that
// matches the path, and no deny rule matches the path or a directory above it. For writing in the workspace two
// further conditions apply to the rules that match:
// - A name that programs execute or obey (OpenedBy::Spelling in schemas/core/obeyed_names.h) is opened only by a rule
//   that spells it: a wildcard does not match it, and the value of a placeholder does not open it.
// - The value of a placeholder opens a name that begins with a dot only if the rule has Rule::dot.
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
  const char* section = "";  // the section of `rule`: "allow", "insist" or "deny"; "" if `rule` is absent
  // For an allowed path: the matching rule of the first layer, the layer of the band. For a denied path: the deny rule.
  // Absent if neither applies: no deny rule matches, but a layer does not allow the path.
  std::optional<Rule> rule;
  // For a path that is not allowed: if `section` is "deny", the index of the deny rule in deny(); otherwise the index
  // in opened() of the first layer that does not allow the path, or 0 if there is no layer.
  std::size_t index = 0;
};

class PathRules {
 public:
  enum class Use { Read, Write };
  // `use`: whether `domain` has the rules of `read` or of `write`.
  static Result<PathRules> compile(const Domain& domain, Use use);

  // Returns whether the path is allowed. `path` has no `/` or `./` at its beginning, as for PathPattern::matches().
  // `absolute` is true for a path of the machine and false for a path of the workspace. Wildcards of a deny rule match
  // names that begin with a dot, too (PathPattern::Reading::Denies). A deny rule that matches a directory also denies
  // everything below it, because users expect this of `deny: ["./private"]`.
  bool opens(std::string_view path, bool absolute) const;
  bool denies(std::string_view path, bool absolute) const;  // whether a deny rule denies the path
  // Decides as opens() does, and also returns the rule that decided.
  PathVerdict judge(std::string_view path, bool absolute) const;
  // Returns whether every layer has a rule that opens the path and that spells its last name, without wildcards. The
  // value of a placeholder does not count.
  bool spells_name(std::string_view path, bool absolute) const;
  // Returns false only if neither `dir` nor a path below it is allowed. May return true although none of these paths is
  // allowed.
  bool may_open_below(std::string_view dir, bool absolute) const;

  const std::vector<std::vector<PathPattern>>& opened() const { return opened_; }
  const std::vector<PathPattern>& deny() const { return deny_; }

 private:
  // A path, and what a rule must do to open it.
  struct Asked {
    std::string_view path;
    bool absolute = false;
    std::vector<bool> spelled;  // see PathPattern::matches_spelled()
    bool obeyed = false;        // the value of a placeholder does not open the path
    bool hidden = false;        // the value of a placeholder opens it only with Rule::dot
  };
  Asked ask(std::string_view path, bool absolute) const;
  const PathPattern* opening(std::size_t layer, const Asked& asked) const;
  bool all_open(const Asked& asked) const;
  const PathPattern* denying(std::string_view path, bool absolute) const;

  Use use_ = Use::Read;
  Domain domain_;  // the rules, with the same indexes as their patterns in opened_ and deny_
  std::vector<std::vector<PathPattern>> opened_;
  std::vector<PathPattern> deny_;
};

}  // namespace band
