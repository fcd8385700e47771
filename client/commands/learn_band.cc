#include "client/commands/learn_band.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "client/host/environment.h"
#include "client/host/replace_file.h"
#include "client/learn/band_edit.h"
#include "client/learn/learner.h"
#include "client/learn/own_band.h"
#include "client/learn/use.h"
#include "client/terminal/text_diff.h"

namespace band::client {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKeysOfOthers[] = {"includes", "extends", "path:"};  // keys by which a BAND.md names another one

Error not_ours(std::string doing, std::string hint) {
  return Error{.code = Code::SkillInvalid, .doing = std::move(doing), .hint = std::move(hint)};
}

bool is_inside(const fs::path& path, const fs::path& directory) {
  const fs::path inside = path.lexically_relative(directory);
  return !inside.empty() && *inside.begin() != "..";
}

Result<BandPlace> existing(const std::string& file, const fs::path& path, const fs::path& skill) {
  BAND_TRY(std::string text, read_file(path.string(), kMaxBandFileBytes, Code::SkillInvalid));
  return BandPlace{file, path.string(), false, text, text, skill.string()};
}

// Called when scripts/NAME/BAND.md does not exist, or when it points to a file that other scripts use.
Result<BandPlace> own_place(const Script& script, const fs::path& skill, const std::string& own_file) {
  const std::string name = "scripts/" + script.place.script;
  std::error_code error;
  const fs::path directory = fs::canonical(skill / name, error);
  if (error || directory != skill / name)
    return not_ours(
        skill.filename().string() + "/" + name +
            " is a link, perhaps to the directory of another script, to which a new BAND.md would also apply",
        "write the lines into the right BAND.md yourself");
  const fs::path path = directory / "BAND.md";
  if (fs::symlink_status(path, error).type() != fs::file_type::not_found)
    return not_ours(own_file + " points to " + script.band.band.file + ", which also applies to other scripts",
                    "write a separate BAND.md there, with the key `includes` and without `path` or a link; then run "
                    "this again");
  return BandPlace{own_file, path.string(), true, "", learn::own_band_text(script.band, own_file), skill.string()};
}

// Rules are printed with their origin before each run. Lines that are not written yet get the origin kWatchOrigin.
void name_origin(Rules& rules, const std::string& file, const std::vector<learn::Line>& lines) {
  for (const learn::Line& line : lines) {
    Domain& domain = learn::domain_of(rules, line.domain);
    const auto name = [&](Rule& rule) {
      if (rule.pattern == line.pattern && rule.origin.starts_with(file + ":")) rule.origin = learn::kWatchOrigin;
    };
    for (RuleSet& layer : domain.opened) std::for_each(layer.begin(), layer.end(), name);
    std::for_each(domain.insist.begin(), domain.insist.end(), name);
  }
}

using Patterns = std::set<std::pair<std::string, bool>>;

Patterns patterns_of(const RuleSet& rules) {
  Patterns patterns;
  for (const Rule& rule : rules) patterns.insert({rule.pattern, rule.optional});
  return patterns;
}

bool contains(const Patterns& all, const Patterns& part) {
  return std::includes(all.begin(), all.end(), part.begin(), part.end());
}

bool shows_enough(const Domain& run, const Domain& whole) {
  Patterns watched, denied, insisted;
  for (const Rule& rule : run.deny)
    (rule.origin == learn::kWatchOrigin ? watched : denied).insert({rule.pattern, false});
  for (const Rule& rule : run.insist)
    if (rule.origin != learn::kWatchOrigin) insisted.insert({rule.pattern, false});
  if (denied != patterns_of(whole.deny) || insisted != patterns_of(whole.insist)) return false;
  std::vector<Patterns> layers;
  for (const RuleSet& layer : run.opened) {
    Patterns patterns;
    for (const auto& one : patterns_of(layer))
      if (!watched.contains({one.first, false})) patterns.insert(one);
    if (!patterns.empty() || run.opened.size() > 1) layers.push_back(std::move(patterns));
  }
  if (layers.empty()) return true;  // the run opened nothing
  if (layers.size() != whole.opened.size()) return false;
  for (std::size_t i = 0; i < layers.size(); ++i)
    if (!contains(patterns_of(whole.opened[i]), layers[i])) return false;
  return true;
}

// Returns the script's own skill first, then the skills in the same directory.
std::vector<SkillPlace> places_beside(const ScriptPlace& place, const fs::path& own) {
  std::vector<SkillPlace> places = {{place.skill, place.skill_directory}};
  for (SkillPlace& other : find_skills({own.parent_path().string()})) places.push_back(std::move(other));
  return places;
}

// For a script whose band does not compose: returns true if this band may include or extend `file`, or if `file` is its
// BAND.md. A band may do so if it names any other file.
bool may_follow_others(const fs::path& skill, const std::string& script, const fs::path& file) {
  const auto nearest = nearest_band_file(skill, script);
  if (!nearest) return false;
  std::error_code error;
  if (fs::canonical(*nearest, error) == file) return true;
  const auto text = read_file(nearest->string(), kMaxBandFileBytes, Code::SkillInvalid);
  if (!text.ok()) return true;
  return std::any_of(std::begin(kKeysOfOthers), std::end(kKeysOfOthers),
                     [&](const char* key) { return text->find(key) != std::string::npos; });
}

}  // namespace

std::vector<std::string> sharers_of(const Script& script) {
  std::error_code error;
  const fs::path own = fs::canonical(script.place.skill_directory, error), root = own.parent_path();
  if (error) return {};
  const fs::path file = fs::canonical(root / script.band.band.file, error);
  std::vector<std::string> known, unknown;
  std::set<fs::path> seen;  // a skill may have a second name, which is a link
  for (const SkillPlace& skill : places_beside(script.place, own)) {
    const fs::path directory = fs::canonical(skill.directory, error);
    // A band can name only skills in the directory that its own skill is in.
    if (error || directory.parent_path() != root || !seen.insert(directory).second) continue;
    for (const std::string& name : script_names(skill.directory)) {
      if (directory == own && name == script.place.script) continue;
      std::vector<Diagnostic> errors;
      const auto band = compose_band(directory, name, errors);
      const std::string shown = skill.name + "/" + name;
      if (band && std::find(band->files.begin(), band->files.end(), script.band.band.file) != band->files.end())
        known.push_back(shown);
      if (!band && may_follow_others(directory, name, file))
        unknown.push_back(shown + " (not known, because its band is not valid: " +
                          (errors.empty() ? "" : errors.front().text()) + ")");
    }
  }
  known.insert(known.end(), unknown.begin(), unknown.end());
  return known;
}

Result<BandPlace> place_of_lines(const Script& script, const std::vector<std::string>& sharers) {
  std::error_code error;
  const fs::path skill = fs::canonical(script.place.skill_directory, error);
  const std::string& file = script.band.band.file;
  const std::string own_file = skill.filename().string() + "/scripts/" + script.place.script + "/BAND.md";
  const fs::path path = fs::canonical(skill.parent_path() / file, error);
  if (error) return not_ours("cannot find " + file, "correct or remove it");
  if (file == own_file || (sharers.empty() && is_inside(path, skill))) return existing(file, path, skill);
  return own_place(script, skill, own_file);
}

Result<DraftedBand> drafted_band(const Script& script, const BandPlace& place, const std::vector<learn::Line>& lines,
                                 const std::vector<learn::Removal>& removals) {
  DraftedBand draft;
  BAND_TRY(draft.text, learn::edited(place.base, place.file, lines, removals));
  draft.diff = unified_diff(place.file, place.before, draft.text);
  std::vector<Diagnostic> errors;
  const BandDraft text{place.path, draft.text};
  auto band = compose_band(script.place.skill_directory, script.place.script, errors, &text);
  if (!band)
    return not_ours(place.file + " would not be a valid band: " + (errors.empty() ? "" : errors.front().text()),
                    "write the lines yourself; nothing was changed");
  draft.band = std::move(*band);
  name_origin(draft.band.rules, place.file, lines);
  return draft;
}

bool shows_enough(const Rules& run, const Rules& whole) {
  return shows_enough(run.cli, whole.cli) && shows_enough(run.net, whole.net) && shows_enough(run.read, whole.read) &&
         shows_enough(run.write, whole.write);
}

Status write_band(const BandPlace& place, const std::string& text) {
  BAND_TRY(const Tree tree, Tree::open(place.skill));
  if (tree.path() != place.skill)  // replaced by a link while the script ran
    return Error{
        .code = Code::WriteConflict, .doing = place.skill + " has become a link", .hint = "nothing was changed"};
  const std::string path = fs::path(place.path).lexically_relative(place.skill).string();
  return place.is_new ? create_file(tree, path, text) : replace_file(tree, path, place.before, text);
}

}  // namespace band::client
