// Lines of `read` for files that a script writes (learner.h). Without such a line a run ends with WRITE_CONFLICT when
// the file exists already.
#include <algorithm>

#include "client/learn/learner.h"
#include "client/learn/use.h"
#include "schemas/core/json_text.h"
#include "schemas/pattern/pattern.h"
#include "schemas/rules/named_path.h"
#include "schemas/rules/path_rules.h"
#include "schemas/rules/placeholders.h"
#include "schemas/wire/wire.h"

namespace band::client::learn {
namespace {

constexpr std::size_t kMostNamed = 3;  // files of one pattern of the band that get separate lines
constexpr const char* kWideOwn = "allows every file that this pattern of `write` allows";

bool is_wildcard(const std::string& pattern) {
  const auto parsed = PathPattern::parse(pattern);
  return !placeholder_of(pattern) && parsed.ok() && !parsed->is_literal();
}

}  // namespace

bool Learner::writes_by(const std::string& pattern) const {
  const auto same = [&](const Rule& rule) { return rule.pattern == pattern; };
  return find("write", pattern) != nullptr ||
         std::any_of(subject_.rules.write.opened.begin(), subject_.rules.write.opened.end(),
                     [&](const RuleSet& layer) { return std::any_of(layer.begin(), layer.end(), same); });
}

std::vector<std::string> Learner::targets_in_the_way(const Run& run) const {
  std::vector<std::string> paths;
  const auto named = with_input(opened_rules(run.value, run.given), run.value);
  if (!named.ok()) return paths;
  for (const RuleSet& layer : named->write.opened)
    for (const Rule& rule : layer) {
      const auto pattern = PathPattern::parse(rule.pattern);
      if (!pattern.ok() || pattern->absolute() || !pattern->is_literal()) continue;
      if (subject_.workspace.look(pattern->literal_prefix()) == FileKind::File)
        paths.push_back(pattern->literal_prefix());
    }
  return paths;
}

void Learner::pair_reads(const Run& run, std::vector<std::string> paths) {
  // The files that this run could read; lines that it added are excluded, because they may be removed again.
  const auto had = with_input(
      rules_with([&](const Line& line) { return line.run < run.number && is_open_for(line, run.value, run.given); }),
      run.value);
  if (!had.ok()) return;
  const auto reads = PathRules::compile(had->read, PathRules::Use::Read);
  if (!reads.ok()) return;
  std::erase_if(paths,
                [&](const std::string& path) { return !is_safe_relative_path(path) || reads->opens(path, false); });
  const auto is_openable = [&](const std::string& pattern) {
    const auto property = placeholder_of(pattern);
    return !property ||
           (subject_.properties.contains(*property) && !has_hidden_default(run.value, run.given, *property));
  };
  std::vector<Line> writes;
  std::copy_if(lines_.begin(), lines_.end(), std::back_inserter(writes),
               [](const Line& line) { return line.domain == "write"; });
  for (const Line& write : writes)
    for (const std::string& path : paths)
      if (is_openable(write.pattern) && names_one_of("write", write.pattern, run.value, {path})) {
        add_pair(write.pattern, write.pattern, path, write.warning, run);
        break;
      }
  for (const RuleSet& layer : subject_.rules.write.opened)
    for (const Rule& rule : layer)
      if (is_openable(rule.pattern)) pair_own_write(run, rule.pattern, paths);
}

// The author of a pattern with wildcards may have intended that no file is replaced: opens only the conflicting files.
void Learner::pair_own_write(const Run& run, const std::string& pattern, const std::vector<std::string>& paths) {
  std::vector<std::string> mine;
  for (const std::string& path : paths)
    if (names_one_of("write", pattern, run.value, {path}) &&
        (!is_wildcard(pattern) || subject_.workspace.look(path) == FileKind::File))
      mine.push_back(path);
  if (mine.empty()) return;
  if (!is_wildcard(pattern) && !placeholder_of(pattern) && has_hidden_name(mine.front()))
    return decide({pair_decision(pattern), pair_reason(mine.front()) + "; its name begins with a dot"});
  if (!is_wildcard(pattern)) return add_pair(pattern, pattern, mine.front(), "", run);
  if (mine.size() > kMostNamed) return add_pair(pattern, pattern, mine.front(), kWideOwn, run);
  for (const std::string& path : mine) add_pair(pattern, literal_pattern(path), path, "", run);
}

void Learner::add_pair(const std::string& write, const std::string& pattern, const std::string& path,
                       std::string warning, const Run& run) {
  Line pair{.section = "allow", .domain = "read", .pattern = pattern, .optional = true, .reason = pair_reason(path)};
  pair.evidence = "workspace";
  pair.source = "./" + path;
  pair.warning = std::move(warning);
  pair.pair_of = write;
  for (Line& line : lines_) {
    if (line.domain != "read" || line.pattern != pattern) continue;
    if (line.run < run.number || line.optional) return;
    // This line was added for a value of the input, before a run showed that the script only writes the file.
    pair.run = run.number;
    line = std::move(pair);
    return;
  }
  add(std::move(pair), run);
}

void Learner::mark_writes(const Run& run) {
  for (const RuleSet& layer : subject_.rules.write.opened)
    for (const Rule& rule : layer) {
      const std::string key = key_of_rule("write", rule);
      if (run.evidence.exited_well && !patterns_named("write", rule.pattern, run.value).empty()) named_.insert(key);
      if (names_one_of("write", rule.pattern, run.value, run.evidence.came_back)) {
        used_.insert(key);
        unknown_.erase(key);
      } else if (is_of_file(rule, subject_.file) && run.evidence.exited_well && !used_.contains(key) &&
                 is_there("write", rule.pattern, run.value)) {
        used_.insert(key);  // so that it is not removed
        doubt(key,
              "whether the script writes what `" + rule.pattern +
                  "` allows: no run shows whether an existing file was written with the content that it already had");
      }
    }
}

void Learner::drop_lone_pairs() {
  const std::size_t before = lines_.size();
  std::erase_if(lines_, [&](const Line& line) { return !line.pair_of.empty() && !writes_by(line.pair_of); });
  changed_ = changed_ || lines_.size() != before;
}

}  // namespace band::client::learn
