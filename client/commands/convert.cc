// `band convert`: converts an ordinary Agent Skill into a skill with bands, in a new directory.
#include <algorithm>
#include <filesystem>

#include "client/author/skeleton.h"
#include "client/commands/commands.h"
#include "client/commands/convert_files.h"
#include "client/convert/convert.h"
#include "client/convert/script.h"
#include "client/host/interrupt.h"
#include "client/host/spawn.h"
#include "client/skills/syntax.h"
#include "client/terminal/verbs.h"
#include "schemas/core/json_text.h"
#include "schemas/core/largest.h"
#include "schemas/core/usage.h"

namespace band::client {
namespace {

namespace fs = std::filesystem;

struct Places {
  std::string source, output, skill;
};

bool is_below(const fs::path& path, const fs::path& directory) {
  const auto [end, ignored] = std::mismatch(directory.begin(), directory.end(), path.begin(), path.end());
  return end == directory.end();
}

// Checks source and output; changes neither of them.
Result<Places> places_of(const CommandLine& line) {
  if (line.arguments.size() != 1 || !line.output || line.output->empty())
    return usage("`band convert` needs a skill's directory and --output",
                 "band convert ./csv-tools --output ~/.band/skills/csv-tools");
  std::error_code error;
  Places places{line.arguments[0], "", ""};
  while (places.source.size() > 1 && places.source.ends_with('/')) places.source.pop_back();
  const fs::path source = fs::canonical(places.source, error);
  if (error || !fs::is_directory(source, error))
    return usage(places.source + " is not a directory",
                 "name the directory of a skill: the one that contains SKILL.md");
  fs::path output = fs::absolute(*line.output, error).lexically_normal();
  if (!output.has_filename()) output = output.parent_path();
  places.skill = output.filename().string();
  if (const std::string why = why_not_a_skill_name(places.skill); !why.empty())
    return usage("`" + places.skill + "`, the last part of --output, is not a valid name of a skill: " + why,
                 kSkillNameRule);
  const fs::path parent = fs::weakly_canonical(output.parent_path(), error);  // missing directories are made later
  if (error || (fs::exists(parent, error) && !fs::is_directory(parent, error)))
    return usage(output.parent_path().string() + " is not a directory", "name a directory for the new skill");
  output = parent / places.skill;
  if (is_below(output, source))
    return usage(output.string() + " is inside the skill that is converted",
                 "name a directory outside that skill: band does not change SOURCE");
  places.output = output.string();
  const fs::file_status status = fs::symlink_status(output, error);
  const bool is_free = status.type() == fs::file_type::not_found ||
                       (status.type() == fs::file_type::directory && fs::is_empty(output, error) && !error);
  if (!is_free)
    return Error{.code = Code::WriteConflict,
                 .doing = places.output + " exists already and is not an empty directory",
                 .hint = "nothing was changed; name a directory that is empty or does not exist"};
  return places;
}

// Checks shell scripts with `bash -n`, as `band validate` does.
void check_shell_scripts(const std::string& source, std::vector<SkillFile>& files, std::vector<Diagnostic>& notes) {
  const std::string bash = find_program("bash");
  std::size_t checked = 0;
  for (SkillFile& file : files) {
    std::string ignored;
    const auto interpreter = interpreter_of(file.path, file.content, ignored);
    const bool is_shell = interpreter && interpreter->language == Language::Shell;
    if (!is_shell || !file.path.starts_with("scripts/") || file.content.size() > kMaxSourceBytes) continue;
    if (bash.empty()) {
      notes.push_back(unchecked_syntax(source + "/scripts", "there is no bash in PATH", "install bash"));
      return;
    }
    if (++checked > kMaxLibFiles) return;  // a skill with more files is refused later
    std::vector<Diagnostic> errors;
    check_bash(bash, source + "/" + file.path, file.content, errors, notes);
    if (!errors.empty()) file.unreadable = errors[0];
  }
}

std::string to_json(const Places& places, const Conversion& made, bool written) {
  std::vector<std::string> scripts, files;
  for (const ConvertedScript& script : made.scripts)
    scripts.push_back(json_object({{"name", json_string(script.name)},
                                   {"file", json_string(script.file)},
                                   {"arguments", script.by.empty() ? "null" : json_string(script.by)},
                                   {"example", json_string(script.example)}}));
  for (const SkillFile& file : made.files) files.push_back(file.path);
  return json_object({{"skill", json_string(places.skill)},
                      {"directory", json_string(places.output)},
                      {"written", written ? "true" : "false"},
                      {"scripts", json_array(scripts)},
                      {"files", json_list(files)},
                      {"errors", json_of(made.errors)},
                      {"notes", json_of(made.notes)}});
}

std::string arguments_text(const ConvertedScript& script) {
  if (script.by.empty()) return "input {args, stdin}";
  if (script.by == "none") return "no arguments";
  return "arguments read from " + (script.by == "usage" ? "its usage text" : script.by);
}

std::string to_text(const Places& places, const Conversion& made) {
  std::string text = "made " + printable_line(places.output) + "\n";
  for (const ConvertedScript& script : made.scripts)
    text += "  " + places.skill + "/" + script.name + "  " + printable_line(script.file) + ", " +
            arguments_text(script) + "\n";
  const std::string skills = " --skills " + printable_line(fs::path(places.output).parent_path().string());
  const std::string first = places.skill + "/" + made.scripts[0].name;
  return text + "\nNext:\n  band validate " + printable_line(places.output) + "\n  band run " + first + skills +
         " --help\n  band learn " + first + skills +
         " --input '{...}'   # shows the actions that were refused, and the lines that would allow them\n";
}

// The tree, and the frontmatter of each BAND.md.
std::string preview(const Places& places, const Conversion& made) {
  std::string text = printable_line(places.output) + " would have\n";
  for (const SkillFile& file : made.files)
    text += "  " + printable_line(file.path) + "  " + human_bytes(static_cast<std::int64_t>(file.content.size())) +
            (file.is_new ? ", new" : "") + "\n";
  for (const SkillFile& file : made.files)
    if (file.is_new && file.path.ends_with("/BAND.md"))
      text +=
          "\n" + printable_line(file.path) + "\n" + printable(file.content.substr(0, file.content.rfind("---\n") + 4));
  return text + "\nNothing was written (--dry-run).\n";
}

// These messages contain untrusted file names: their control characters are escaped, so that they cannot begin a line.
int fail_on_a_line(const CommandLine& line, Terminal& terminal, Error error) {
  error.doing = printable_line(error.doing);
  error.hint = printable_line(error.hint);
  return fail(line, terminal, error);
}

void print_findings(const Conversion& made, Terminal& terminal) {
  for (const Diagnostic& note : made.notes) terminal.note("note: " + printable_line(note.text()));
  for (const Diagnostic& error : made.errors) terminal.err(printable_line(error.text()) + "\n");
}

}  // namespace

int convert_command(const CommandLine& line, Terminal& terminal) {
  const auto places = places_of(line);
  if (!places.ok()) return fail_on_a_line(line, terminal, places.error());
  std::vector<Diagnostic> left_out;
  auto files = read_skill_files(places->source, places->source, left_out);
  if (!files.ok()) return fail_on_a_line(line, terminal, files.error());
  check_shell_scripts(places->source, *files, left_out);
  const std::vector<std::string> own = flags_of("run");
  auto made = convert_skill(*files, places->skill, {own.begin(), own.end()}, places->source, places->output);
  if (!made.ok()) return fail_on_a_line(line, terminal, made.error());
  made->notes.insert(made->notes.end(), left_out.begin(), left_out.end());
  if (!line.dry_run) {
    const Interrupt interrupt([] {});
    const Status written = write_skill_files(places->output, made->files, [&] { return interrupt.signal() != 0; });
    if (interrupt.signal() != 0 && !written.ok()) return 128 + interrupt.signal();
    if (!written.ok()) return fail_on_a_line(line, terminal, written.error());
  }
  print_findings(*made, terminal);
  const int code = line.json      ? print_json_text(terminal, to_json(*places, *made, !line.dry_run))
                   : line.dry_run ? print(terminal, preview(*places, *made))
                                  : print(terminal, to_text(*places, *made));
  return code != 0 || made->errors.empty() ? code : exit_code(Code::SkillInvalid);
}

}  // namespace band::client
