#include "client/checks/shellcheck.h"

#include <algorithm>
#include <chrono>
#include <span>

#include "client/host/spawn.h"
#include "schemas/core/json.h"
#include "schemas/core/json_text.h"

namespace band::client {
namespace {

constexpr std::size_t kMaxComments = 50;  // for one file
constexpr std::size_t kMaxMessage = 300;  // bytes
constexpr std::size_t kMaxText = 256u << 10;
constexpr std::size_t kMaxNamed = 10;  // files in one note
constexpr int kMaxMs = 20'000;         // for one file

int number_of(const Json& comment, const char* key) {
  const auto found = comment.find(key);
  if (found == comment.end() || !found->is_number_integer()) return 0;
  const auto value = found->get<std::int64_t>();
  return value > 0 && value < 10'000'000 ? static_cast<int>(value) : 0;
}

Diagnostic unchecked(const std::string& file, const std::string& why) {
  return {file, 0, 0, "shellcheck did not check it: " + why, "run `shellcheck -s bash` to see why"};
}

void check_file(const std::string& program, const ShellFile& file, bool sourced, int ms,
                std::vector<Diagnostic>& notes) {
  if (file.text.size() > kMaxText) return notes.push_back(unchecked(file.shown, "the file has more than 256 KiB"));
  std::vector<std::string> arguments{"--norc", "-f", "json1", "-S", "warning", "-s", "bash"};
  if (sourced || file.reading.is_open_ended) arguments.emplace_back("-eSC2034,SC2154");
  arguments.emplace_back("-");
  const auto said =
      examine(program, arguments, std::string(file.text),
              {.ms = std::min(ms, kMaxMs), .output = 512u << 10, .memory = 1u << 30, .cpu_seconds = kMaxMs / 1000});
  if (!said.ok()) return notes.push_back(unchecked(file.shown, said.error().message()));
  if (said->over) return notes.push_back(unchecked(file.shown, "shellcheck exceeded its limit of time or output"));
  if (said->exit_status > 1 || !read_shellcheck(file.shown, said->text, notes))
    notes.push_back(unchecked(file.shown, "shellcheck exited with status " + std::to_string(said->exit_status)));
}

struct Task {
  const ShellFile* file;
  bool sourced;
};

std::vector<Task> tasks_of(const ShellSkill& skill) {
  std::vector<Task> tasks;
  for (const ShellScript& script : skill.scripts)
    for (const ShellFile& file : script.files) tasks.push_back({&file, false});
  for (const ShellFile& file : skill.lib) tasks.push_back({&file, true});
  return tasks;
}

// The time limit was reached: one note for all of `left`.
Diagnostic too_late(std::span<const Task> left, int ms) {
  std::string others;
  for (const Task& task : left.subspan(1, std::min(left.size() - 1, kMaxNamed)))
    others += (others.empty() ? "; also not checked: " : ", ") + escaped(task.file->shown);
  if (left.size() - 1 > kMaxNamed) others += " and " + std::to_string(left.size() - 1 - kMaxNamed) + " more";
  return unchecked(left.front().file->shown,
                   "the " + std::to_string(ms / 1000) + " s for one skill have passed" + others);
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

constexpr int kLeastMs = 50;  // less is too short to start a program

void run_shellcheck(const Shellcheck& shellcheck, const ShellSkill& skill, std::vector<Diagnostic>& notes) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::milliseconds(shellcheck.ms);
  const std::vector<Task> tasks = tasks_of(skill);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left < kLeastMs) return notes.push_back(too_late(std::span(tasks).subspan(i), shellcheck.ms));
    shellcheck.progress(tasks[i].file->shown);
    check_file(shellcheck.program, *tasks[i].file, tasks[i].sourced, static_cast<int>(left), notes);
  }
}

}  // namespace band::client
