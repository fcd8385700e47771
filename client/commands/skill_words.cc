#include "client/commands/skill_words.h"

#include <algorithm>

#include "schemas/core/usage.h"

namespace band::client {
namespace {

namespace fs = std::filesystem;

// Resolves every link except in the last part, which is the skill's name.
fs::path resolved(const fs::path& path, std::error_code& error) {
  fs::path whole = fs::absolute(path, error).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();  // removes a final slash
  if (error || !fs::is_symlink(whole, error)) return fs::canonical(path, error);
  return fs::canonical(whole.parent_path(), error) / whole.filename();
}

// Returns the skill's directory, or the directories of all skills in it.
Result<std::vector<fs::path>> skills_in(const std::string& word) {
  std::error_code error;
  const fs::path directory = resolved(word, error);
  if (error || !fs::is_directory(directory, error))
    return usage(word + " is not a directory", "name a skill, its directory, or a directory that contains skills");
  if (is_skill(directory.string())) return std::vector<fs::path>{directory};
  std::vector<fs::path> below;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error))
    if (is_skill(it->path().string())) below.push_back(it->path());
  std::sort(below.begin(), below.end());
  if (below.empty())
    return Error{.code = Code::SkillInvalid,
                 .doing = word + " contains no skill",
                 .hint = "a skill has a SKILL.md, a BAND.md and scripts/NAME/run.sh"};
  return below;
}

Result<fs::path> skill_named(const std::string& name, const std::vector<std::string>& roots) {
  const auto place = find_skill(roots, name);
  if (!place.ok()) {
    Error error = place.error();
    error.hint += "; write a directory as ./DIR";
    return error;
  }
  std::error_code error;
  const fs::path directory = resolved(place->directory, error);
  return error ? fs::path(place->directory) : directory;
}

}  // namespace

Result<std::vector<fs::path>> skill_directories(const std::string& word, const std::vector<std::string>& roots) {
  std::error_code error;
  const bool is_path = word.find_first_of("/.") != std::string::npos;
  if (is_path) return skills_in(word);
  auto named = skill_named(word, roots);
  if (!fs::is_directory(word, error)) {
    if (!named.ok()) return named.error();
    return std::vector<fs::path>{std::move(named).value()};
  }
  auto here = skills_in(word);
  if (here.ok() || !named.ok()) return here;
  return std::vector<fs::path>{std::move(named).value()};
}

Result<SkillOrScript> skill_or_script(const std::string& word, const std::vector<std::string>& roots) {
  std::error_code error;
  const bool is_path = word.starts_with('.') || word.starts_with('/') || word.ends_with('/');
  if (!is_path && word.find('/') != std::string::npos) {
    auto script = find_script(roots, word);
    if (script.ok()) return SkillOrScript{{script->skill, script->skill_directory}, script->script};
    if (!fs::is_directory(word, error)) return script.error();
  }
  BAND_TRY(const auto directories, skill_directories(word, roots));
  if (directories.size() > 1)
    return usage(word + " contains " + std::to_string(directories.size()) + " skills",
                 "name one of them, as in " + (fs::path(word) / directories.front().filename()).string());
  const fs::path& directory = directories.front();
  return SkillOrScript{{directory.filename().string(), directory.string()}, ""};
}

}  // namespace band::client
