#include "client/checks/shellcheck.h"

#include "client/host/spawn.h"
#include "schemas/core/json.h"
#include "schemas/core/json_text.h"

namespace band::client {
namespace {

constexpr std::size_t kMaxComments = 50;  // of one file
constexpr std::size_t kMaxMessage = 300;  // bytes

int number_of(const Json& comment, const char* key) {
  const auto found = comment.find(key);
  if (found == comment.end() || !found->is_number_integer()) return 0;
  const auto value = found->get<std::int64_t>();
  return value > 0 && value < 10'000'000 ? static_cast<int>(value) : 0;
}

Diagnostic unchecked(const std::string& file, const std::string& why) {
  return {file, 0, 0, "shellcheck did not check it: " + why, "`shellcheck -s bash` shows what it does"};
}

void check_file(const std::string& program, const ShellFile& file, bool sourced, std::vector<Diagnostic>& notes) {
  std::vector<std::string> arguments{"--norc", "-f", "json1", "-S", "warning", "-s", "bash"};
  if (sourced || file.reading.is_open_ended) arguments.emplace_back("-eSC2034,SC2154");
  arguments.emplace_back("-");
  const auto said = examine(program, arguments, std::string(file.text), {.ms = 20'000, .output = 512u << 10});
  if (!said.ok()) return notes.push_back(unchecked(file.shown, said.error().message()));
  if (said->over) return notes.push_back(unchecked(file.shown, "it takes longer, or says more, than it may"));
  if (said->exit_status > 1 || !read_shellcheck(file.shown, said->text, notes))
    notes.push_back(unchecked(file.shown, "it ended with status " + std::to_string(said->exit_status)));
}

}  // namespace

bool read_shellcheck(const std::string& file, const std::string& json, std::vector<Diagnostic>& notes) {
  const auto parsed = parse_json(json, "shellcheck");
  if (!parsed.ok() || !parsed->is_object()) return false;
  const auto comments = parsed->find("comments");
  if (comments == parsed->end() || !comments->is_array()) return false;
  std::size_t count = 0;
  for (const Json& comment : *comments) {
    if (!comment.is_object() || ++count > kMaxComments) continue;
    const auto message = comment.find("message");
    if (message == comment.end() || !message->is_string()) continue;
    std::string text = message->get<std::string>().substr(0, kMaxMessage);
    while (text.ends_with('.') || text.ends_with(' ')) text.pop_back();
    if (const int code = number_of(comment, "code"); code > 0) text += " (SC" + std::to_string(code) + ")";
    notes.push_back({file, number_of(comment, "line"), number_of(comment, "column"), escaped(text), ""});
  }
  return true;
}

void run_shellcheck(const std::string& program, const ShellSkill& skill,
                    const std::function<void(const std::string& file)>& progress, std::vector<Diagnostic>& notes) {
  for (const ShellScript& script : skill.scripts)
    for (const ShellFile& file : script.files) {
      progress(file.shown);
      check_file(program, file, false, notes);
    }
  for (const ShellFile& file : skill.lib) {
    progress(file.shown);
    check_file(program, file, true, notes);
  }
}

}  // namespace band::client
