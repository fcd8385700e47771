#include "client/commands/log_hints.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "client/answers/remedy.h"
#include "client/commands/lines_to_write.h"
#include "client/logs/reading.h"
#include "client/terminal/terminal.h"
#include "client/workspace/opening.h"
#include "schemas/pattern/pattern.h"

namespace band::client {
namespace {

constexpr std::size_t kMostNamed = 200;  // bytes of a path from the log
constexpr std::size_t kMaxNamed = 3;     // paths or programs in one hint

using Names = std::set<std::string>;

std::string listed(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + printable_line(name);
  return text;
}

bool is_below(std::string_view path, std::string_view directory) {
  return path.size() > directory.size() + 1 && path.starts_with(directory) && path[directory.size()] == '/';
}

// Returns true when the word can be a file of a workspace.
bool names_file(const LogWord& word) {
  return word.text.starts_with('/') || is_safe_relative_path(in_workspace(word.text, "/work"));
}

std::string hint_of_files(const RunPlan& plan, const OpenHere& open_here, const std::vector<LogWord>& words) {
  if (std::none_of(words.begin(), words.end(), names_file)) return "";
  const auto opening = Opening::of(plan.script.band.rules.read, false, PathRules::Use::Read);
  if (!opening.ok()) return "";
  std::optional<Tree> here;
  if (!plan.workspace && open_here)
    if (auto opened = open_here(); opened.ok()) here.emplace(std::move(opened).value());
  const Tree* workspace = plan.workspace ? &*plan.workspace : here ? &*here : nullptr;
  if (workspace == nullptr) return "";
  Names there, files;
  for (const LogWord& word : words) {
    if (there.size() >= kMaxNamed) break;
    const std::string path = in_workspace(word.text, workspace->path());
    if (!is_safe_relative_path(path) || opening->opens(path)) continue;
    const Tree::Kind kind = workspace->resolve(path).kind;
    if (kind == Tree::Kind::File || (kind == Tree::Kind::Directory && !opening->may_open_below(path)))
      there.insert(path);
    if (kind == Tree::Kind::File && there.contains(path)) files.insert(path);
  }
  if (there.empty()) return "";
  const LinesToWrite lines_to_write(plan);
  std::string lines;
  for (const std::string& path : there)
    if (const auto question = ask_path(Question::Kind::Read, path); question.ok() && files.contains(path))
      if (const std::string line = lines_to_write.for_question(*question); !line.empty()) lines += "; " + line;
  return listed(there) + (there.size() == 1 ? " is" : " are") + " in the workspace, and allow.read does not allow " +
         (there.size() == 1 ? "it" : "them") + lines;
}

// For a script that uses the workspace's path on the caller's machine.
std::string hint_of_own_paths(const RunPlan& plan, const std::vector<LogWord>& words) {
  if (!plan.workspace) return "";
  const std::string& workspace = plan.workspace->path();
  for (const LogWord& word : words)
    if (is_below(word.text, workspace) && workspace != "/work" && word.text.size() < workspace.size() + kMostNamed)
      return "write ./" + printable_line(word.text.substr(workspace.size() + 1)) +
             ": the script sees the workspace at /work";
  return "";
}

// For git's error message when no wildcard has matched `.git`, because its name begins with a dot.
std::string hint_of_repository(const RunPlan& plan, std::string_view log) {
  if (!plan.workspace || !misses_repository(log)) return "";
  const auto opening = Opening::of(plan.script.band.rules.read, false, PathRules::Use::Read);
  if (!opening.ok() || opening->may_open_below(".git") || plan.workspace->resolve(".git").kind != Tree::Kind::Directory)
    return "";
  return ".git is in the workspace, and no wildcard of allow.read matches it: name `./.git/**` (band exec: `--read "
         ".git/`)";
}

Names declared_programs(const Domain& cli) {
  Names names;
  for (const RuleSet& layer : cli.opened)
    for (const Rule& rule : layer)
      if (const auto pattern = CliPattern::parse(rule.pattern); pattern.ok())
        names.insert(std::string(pattern->base_name()));
  return names;
}

// The log has only the names, not the arguments.
std::string lines_for(const RunPlan& plan, const Names& programs) {
  const LinesToWrite lines_to_write(plan);
  std::string lines;
  for (const std::string& name : programs)
    if (const auto question = ask_command({name}); question.ok())
      if (const std::string line = lines_to_write.for_question(*question); !line.empty())
        lines += "; " + line + ", and add the command's arguments after its name";
  return lines;
}

std::string hint_of_programs(const RunPlan& plan, const std::vector<LogWord>& words) {
  const Names declared = declared_programs(plan.script.band.rules.cli);
  Names undeclared, by_path;
  for (const LogWord& word : words) {
    const std::string name = program_of(word);
    if (name.empty() || undeclared.size() + by_path.size() >= kMaxNamed) continue;
    if (declared.contains(name)) {
      if (name != word.text) by_path.insert(name);
    } else if (can_be_declared({name})) {  // `env cd /`: no line can declare it
      undeclared.insert(name);
    }
  }
  std::string hint;
  if (!undeclared.empty())
    hint = std::string("the band does not declare the command") + (undeclared.size() == 1 ? " " : "s ") +
           listed(undeclared) + " in allow.cli (band exec: --cli)" + lines_for(plan, undeclared);
  if (!by_path.empty())
    hint += (hint.empty() ? "" : "; ") + std::string("a declared command is found by its name, not by a path: start ") +
            listed(by_path) + " by " + (by_path.size() == 1 ? "its name" : "their names");
  return hint;
}

}  // namespace

void add_log_hints(const RunPlan& plan, Answer& answer, const OpenHere& open_here) {
  if (!answer.error) return;
  const std::string log = log_of(answer);
  const std::vector<LogWord> words = missing_words(log);
  std::string& hint = answer.error->hint;
  for (const std::string& more : {hint_of_own_paths(plan, words), hint_of_files(plan, open_here, words),
                                  hint_of_programs(plan, words), hint_of_repository(plan, log)})
    if (!more.empty()) hint += (hint.empty() ? "" : "; ") + more;
}

}  // namespace band::client
