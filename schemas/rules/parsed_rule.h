// Rules with their parsed patterns.
#pragma once

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/rules/rules.h"

namespace band {

template <class Pattern>
struct ParsedRule {
  Rule rule;
  Pattern pattern;
  const char* section;  // the section of the rule in BAND.md: "allow.cli", "insist.cli"
};

// Parses the patterns of `rules`. The section of a rule that is also in `insist` is `insist_section`; the section of
// all other rules is `section`. (A layer has allow and insist rules together; see Domain in rules.h.) Rules that only
// `insist` has are ignored. Both section texts must outlive the result, as string literals do.
template <class Pattern>
Result<std::vector<ParsedRule<Pattern>>> parse_rules(const RuleSet& rules, const char* section,
                                                     const RuleSet& insist = {}, const char* insist_section = "") {
  std::set<std::pair<std::string_view, std::string_view>> insisted;
  for (const Rule& rule : insist) insisted.emplace(rule.pattern, rule.origin);
  std::vector<ParsedRule<Pattern>> parsed;
  for (const Rule& rule : rules) {
    BAND_TRY(Pattern pattern, Pattern::parse(rule.pattern));
    const bool insists = insisted.count({rule.pattern, rule.origin}) != 0;
    parsed.push_back({rule, std::move(pattern), insists ? insist_section : section});
  }
  return parsed;
}

}  // namespace band
