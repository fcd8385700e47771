#include "schemas/rules/machine_paths.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "schemas/rules/path_rules.h"

namespace band {
namespace {

constexpr const char* kView = "view";  // the layer in errors

// Directories that band creates in each view; no path of the machine is mounted over or below them.
constexpr std::string_view kOwn[] = {"proc", "dev", "tmp", "work", "band", "sys"};

// Directories of the floor, and the links of the view into it.
constexpr std::string_view kFloor[] = {"usr", "etc", "bin", "lib", "lib64", "sbin"};

template <std::size_t N>
bool begins_with_one_of(std::string_view path, const std::string_view (&names)[N]) {
  return std::find(std::begin(names), std::end(names), path.substr(0, path.find('/'))) != std::end(names);
}

}  // namespace

bool is_of_sandbox(std::string_view path) { return begins_with_one_of(path, kOwn); }

bool is_of_floor(std::string_view path) { return begins_with_one_of(path, kFloor); }

Domain with_both_denies(const Domain& domain, const Domain& other) {
  Domain both = domain;
  both.deny.insert(both.deny.end(), other.deny.begin(), other.deny.end());
  return both;
}

Status check_machine_pattern(const PathPattern& pattern) {
  const std::string root = pattern.literal_prefix();
  if (root.empty())
    return layer_error(kView, "`" + pattern.text() + "` allows the whole machine", 0,
                       "name a directory: `/opt/data/**`");
  if (is_of_sandbox(root))
    return layer_error(kView,
                       "`" + pattern.text() + "`: no rule can allow the machine's /" + root.substr(0, root.find('/')) +
                           ": the sandbox has its own",
                       0, "remove the rule; for a file of the caller write `./...`");
  return done();
}

Status check_write_denies(const Domain& write) {
  BAND_TRY(const PathRules rules, PathRules::compile(write, PathRules::Use::Write));
  for (const auto& layer : rules.opened())
    for (const PathPattern& pattern : layer)
      for (const PathPattern& deny : rules.deny())
        if (pattern.absolute() && deny.absolute() && !deny.is_literal() && !deny.is_whole_tree() &&
            pattern.may_overlap(deny))
          return Error{.code = Code::SkillInvalid,
                       .layer = kView,
                       .doing = "write `" + pattern.text() + "` overlaps the denied pattern `" + deny.text() + "`",
                       .hint = kNoWildcards};
  return done();
}

Status check_machine_paths(const Rules& rules) {
  BAND_CHECK(check_write_denies(rules.write));
  for (const Domain* domain : {&rules.write, &rules.read}) {
    if (domain->opened.empty()) continue;
    for (const Rule& rule : domain->opened.front()) {
      BAND_TRY(const PathPattern pattern, PathPattern::parse(rule.pattern));
      if (pattern.absolute()) BAND_CHECK(check_machine_pattern(pattern));
    }
  }
  return done();
}

}  // namespace band
