#include "server/view/opening.h"

#include <algorithm>
#include <string_view>

#include "schemas/rules/machine_paths.h"

namespace band::view {
Result<PathPattern> tree_below(const std::string& path) { return PathPattern::parse("/" + escaped_path(path) + "/**"); }

// Paths of the machine: for them, both uses decide in the same way.
Result<Opening> Opening::of(const Of& what) {
  BAND_TRY(PathRules rules, PathRules::compile(with_both_denies(what.domain, what.other), PathRules::Use::Read));
  BAND_TRY(PathRules outer, PathRules::compile(with_both_denies(what.ceiling, what.beside), PathRules::Use::Read));
  return Opening(std::move(rules), std::move(outer), what);
}

Opening::Opening(PathRules rules, PathRules ceiling, const Of& what)
    : rules_(std::move(rules)),
      ceiling_(std::move(ceiling)),
      own_denies_(what.domain.deny.size()),
      links_(&what.links) {
  if (!what.domain.opened.empty()) starts_ = what.domain.opened.front();
}

std::vector<std::string> Opening::spellings(const std::string& path) const {
  std::vector<std::string> all = {path};
  if (std::string real = links_->real(path); real != path) all.push_back(std::move(real));
  return all;
}

bool Opening::denies(const std::string& path) const {
  if (rules_.denies(path, true)) return true;
  const std::string real = links_->real(path);
  return real != path && rules_.denies(real, true);
}

bool Opening::opens(const std::string& path) const {
  if (!rules_.opens(path, true)) return false;
  const std::string real = links_->real(path);
  if (real == path) return true;
  return !rules_.denies(real, true) && (ceiling_.opened().empty() || ceiling_.opens(real, true));
}

bool Opening::may_open_below(const std::string& path) const {
  if (!rules_.may_open_below(path, true)) return false;
  const std::string real = links_->real(path);
  return real == path || ceiling_.opened().empty() || ceiling_.may_open_below(real, true);
}

bool Opening::is_closed_by_ceiling(const std::string& path) const {
  const std::string real = links_->real(path);
  return ceiling_.denies(real, true) || (!ceiling_.opened().empty() && !ceiling_.may_open_below(real, true));
}

namespace {

bool all_layers_cover(const PathRules& rules, const PathPattern& tree) {
  return std::all_of(rules.opened().begin(), rules.opened().end(), [&](const auto& layer) {
    return std::any_of(layer.begin(), layer.end(), [&](const PathPattern& p) { return p.covers(tree); });
  });
}

}  // namespace

bool Opening::opens_tree(const std::string& path) const {
  if (rules_.opened().empty() || denies(path)) return false;
  const auto names = spellings(path);
  for (const std::string& name : names) {
    const auto tree = tree_below(name);
    if (!tree.ok()) return false;
    const auto closes = [&](const PathPattern& p) { return p.covers(*tree, PathPattern::Reading::Denies); };
    if (std::any_of(rules_.deny().begin(), rules_.deny().end(), closes)) return false;
    if (!all_layers_cover(&name == &names.front() ? rules_ : ceiling_, *tree)) return false;
  }
  return true;
}

bool Opening::covers_tree(const std::string& path) const {
  if (!opens_tree(path)) return false;
  for (const std::string& name : spellings(path)) {
    const auto tree = tree_below(name);
    const auto meets = [&](const PathPattern& p) { return p.absolute() && tree->may_overlap(p); };
    if (!tree.ok() || std::any_of(rules_.deny().begin(), rules_.deny().end(), meets)) return false;
  }
  return true;
}

std::vector<Opening::Start> Opening::starts() const {
  std::vector<Start> starts;
  for (std::size_t i = 0; i < starts_.size(); ++i)
    if (const PathPattern& pattern = rules_.opened().front()[i]; pattern.absolute())
      starts.push_back({&starts_[i], &pattern});
  return starts;
}

std::vector<const PathPattern*> Opening::denies_between(std::size_t first, std::size_t end) const {
  std::vector<const PathPattern*> patterns;
  for (std::size_t i = first; i < end; ++i)
    if (rules_.deny()[i].absolute()) patterns.push_back(&rules_.deny()[i]);
  return patterns;
}

Status add_real_denies(RuleSet& denies) {
  const std::size_t written = denies.size();
  for (std::size_t i = 0; i < written; ++i) {
    BAND_TRY(const PathPattern pattern, PathPattern::parse(denies[i].pattern));
    const std::string prefix = pattern.literal_prefix();
    if (!pattern.absolute() || prefix.empty()) continue;
    const std::string real = without_links(prefix);
    if (real == prefix || real.empty()) continue;
    // Skips the literal names of the pattern, and appends the rest of the pattern unchanged.
    std::size_t names = 1 + static_cast<std::size_t>(std::count(prefix.begin(), prefix.end(), '/')), at = 0;
    const std::string& text = denies[i].pattern;
    for (; names > 0; --names) at = std::min(text.find('/', text.find_first_not_of('/', at)), text.size());
    Rule rule{"/" + escaped_path(real) + text.substr(at), denies[i].origin};
    if (PathPattern::parse(rule.pattern).ok()) denies.push_back(std::move(rule));
  }
  return done();
}

}  // namespace band::view
