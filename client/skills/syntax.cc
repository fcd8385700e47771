#include "client/skills/syntax.h"

#include <charconv>
#include <utility>

#include "client/host/files_below.h"
#include "client/host/spawn.h"
#include "client/host/tree.h"
#include "schemas/core/largest.h"
#include "schemas/core/lines.h"

namespace band::client {
namespace {

// Returns the files to check, relative to the skill.
std::vector<std::string> shell_files(const Tree& skill, const std::vector<std::string>& scripts) {
  std::vector<std::string> files;
  files.reserve(scripts.size());
  for (const std::string& script : scripts) files.push_back("scripts/" + script + "/run.sh");
  for (std::string& file : files_below(skill, "scripts/_lib", ".sh", kMaxLibFiles)) files.push_back(std::move(file));
  return files;
}

std::optional<std::string> content_of(const Tree& skill, const std::string& path) {
  const Tree::Found found = skill.resolve(path);
  int err = 0;
  if (found.kind != Tree::Kind::File) return std::nullopt;
  auto file = skill.read(found.path, path.ends_with("/run.sh") ? kMaxSourceBytes : kMaxLibBytes, err);
  return file ? std::optional(std::move(file->content)) : std::nullopt;
}

}  // namespace

Diagnostic unchecked_syntax(const std::string& file, const std::string& why, std::string hint) {
  return {file, 0, 0, "its syntax was not checked: " + why, std::move(hint)};
}

void read_bash_report(const std::string& file, const std::string& report, std::vector<Diagnostic>& errors,
                      std::vector<Diagnostic>& notes) {
  constexpr std::string_view kBegin = "/dev/stdin: line ", kWarning = "warning: ";
  bool failed = false;
  for (std::string_view text : lines_of(report)) {
    if (!text.starts_with(kBegin)) continue;
    text.remove_prefix(kBegin.size());
    int line = 0;
    const auto [rest, wrong] = std::from_chars(text.data(), text.data() + text.size(), line);
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    if (wrong != std::errc() || !text.starts_with(": ")) continue;
    text.remove_prefix(2);
    if (text.starts_with(kWarning)) {
      notes.push_back({file, line, 0, std::string(text.substr(kWarning.size())), ""});
    } else if (!std::exchange(failed, true)) {  // further lines quote the source, or follow from the first error
      errors.push_back({file, line, 0, std::string(text), "a run executes the lines before it and then fails here"});
    }
  }
}

void check_syntax(const std::string& skill, const std::string& skill_directory, const std::vector<std::string>& scripts,
                  std::vector<Diagnostic>& errors, std::vector<Diagnostic>& notes) {
  const auto tree = Tree::open(skill_directory);
  if (!tree.ok() || scripts.empty()) return;
  const std::string bash = find_program("bash");
  if (bash.empty()) {
    notes.push_back(unchecked_syntax(skill + "/scripts", "there is no bash in PATH", "install bash"));
    return;
  }
  for (const std::string& path : shell_files(*tree, scripts)) {
    const auto content = content_of(*tree, path);
    if (content) check_bash(bash, join_path(skill, path), *content, errors, notes);
  }
}

void check_bash(const std::string& bash, const std::string& file, const std::string& content,
                std::vector<Diagnostic>& errors, std::vector<Diagnostic>& notes) {
  // extglob is set, because `bash -n` does not execute the `shopt -s extglob` of a script; other scripts are parsed in
  // the same way with extglob. The text is passed on standard input, so that bash parses exactly the bytes that were
  // read here, even if the file has been replaced.
  const auto said = examine(bash, {"--norc", "--noprofile", "-O", "extglob", "-n", "/dev/stdin"}, content, {});
  if (!said.ok()) {
    notes.push_back(unchecked_syntax(file, said.error().message(), ""));
    return;
  }
  const std::size_t before = errors.size();
  read_bash_report(file, said->text, errors, notes);
  if (errors.size() > before) return;
  if (said->over)
    notes.push_back(unchecked_syntax(file, "bash exceeded its limit of time or output", "run `bash -n` to see why"));
  else if (said->exit_status != 0)
    notes.push_back(unchecked_syntax(file, "`bash -n` exited with status " + std::to_string(said->exit_status), ""));
}

}  // namespace band::client
