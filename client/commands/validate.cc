// `band validate`: reports errors of skills, and notes on what is most likely a mistake.
#include <algorithm>
#include <filesystem>
#include <optional>

#include "client/checks/check_skill.h"
#include "client/commands/commands.h"
#include "client/commands/skill_words.h"
#include "client/host/spawn.h"
#include "schemas/core/json_text.h"
#include "schemas/core/usage.h"

namespace band::client {
namespace {

namespace fs = std::filesystem;

Result<std::vector<fs::path>> skills_meant(const CommandLine& line, Terminal& terminal) {
  if (line.arguments.empty())
    return usage("`band validate` needs the name of a skill, or a directory",
                 "for example: band validate hello, or band validate ./skills");
  BAND_TRY(const auto roots, roots_of(line, terminal));
  std::vector<fs::path> directories;
  for (const std::string& word : line.arguments) {
    BAND_TRY(const auto meant, skill_directories(word, roots));
    directories.insert(directories.end(), meant.begin(), meant.end());
  }
  return directories;
}

std::vector<Diagnostic> all_known(const CheckedSkills& found) {
  std::vector<Diagnostic> all = found.known_of_band;
  all.insert(all.end(), found.known.begin(), found.known.end());
  sort_by_place(all);
  return all;
}

std::string to_json(const CheckedSkills& found, bool shellcheck) {
  return json_object({{"valid", found.errors.empty() ? "true" : "false"},
                      {"skills", json_list(found.skills)},
                      {"scripts", json_list(found.scripts)},
                      {"errors", json_of(found.errors)},
                      {"notes", json_of(found.notes)},
                      {"known", json_of(all_known(found))},
                      {"shellcheck", shellcheck ? "true" : "false"}});
}

}  // namespace

int validate_command(const CommandLine& line, Terminal& terminal) {
  const auto directories = skills_meant(line, terminal);
  if (!directories.ok()) return fail(line, terminal, directories.error());
  CheckedSkills found;
  CheckOptions options{.shellcheck = find_program("shellcheck")};
  {
    Progress progress(terminal, "checking");
    options.progress = [&](const std::string& file) { progress.say("shellcheck " + printable_line(file)); };
    for (const fs::path& directory : *directories) check_skill(directory, options, found);
  }
  sort_findings(found);
  if (line.json)
    if (const int code = print_json_text(terminal, to_json(found, !options.shellcheck.empty())); code != 0) return code;
  for (const auto* notes : {&found.notes, &found.known_of_band})
    for (const Diagnostic& note : *notes) terminal.err(printable("note: " + note.text()) + "\n");
  if (const std::size_t known = found.known.size(); known > 0)
    terminal.err(std::to_string(known) + (known == 1 ? " note is" : " notes are") +
                 " marked as known in the scripts; --json shows them\n");
  if (!found.errors.empty()) {
    for (const Diagnostic& diagnostic : found.errors) terminal.err(printable(diagnostic.text()) + "\n");
    terminal.err(std::to_string(found.errors.size()) + (found.errors.size() == 1 ? " error\n" : " errors\n"));
    return exit_code(Code::SkillInvalid);
  }
  if (line.json) return 0;
  std::string text = "ok:";
  for (const std::string& script : found.scripts) text += " " + script;
  return print(terminal, text + "\n");
}

}  // namespace band::client
