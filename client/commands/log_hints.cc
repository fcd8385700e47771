#include "client/commands/log_hints.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "client/terminal/terminal.h"
#include "client/workspace/opening.h"
#include "schemas/pattern/pattern.h"
#include "schemas/programs/essentials.h"
#include "schemas/programs/programs.h"

namespace band::client {
namespace {

constexpr std::size_t kMostNamed = 200;      // bytes of a path that a script has chosen
constexpr std::size_t kMaxNamed = 3;         // paths or programs in one hint
constexpr std::size_t kSearched = 64 << 10;  // of a log's end

using Names = std::set<std::string>;

std::string listed(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + printable_line(name);
  return text;
}

// A word of a line that says that something does not exist.
struct Word {
  std::string text;
  bool is_program = false;  // by what stands before it; else it may be a file or anything
};

bool is_below(std::string_view path, std::string_view directory) {
  return path.size() > directory.size() + 1 && path.starts_with(directory) && path[directory.size()] == '/';
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// GNU's programs quote with ‘’ in UTF-8.
std::string with_plain_quotes(std::string_view line) {
  std::string text(line);
  for (const std::string_view quote : {"\u2018", "\u2019"})
    for (std::size_t at = text.find(quote); at != std::string::npos; at = text.find(quote, at))
      text.replace(at, 3, "'");
  return text;
}

// libc, Python and bash say the first, Node.js the second, Go the third, dash the last.
bool says_missing(std::string_view line) {
  return line.find("o such file or directory") != std::string_view::npos || line.ends_with(" ENOENT") ||
         line.find("executable file not found") != std::string_view::npos || line.ends_with(": not found");
}

// "spawn gh ENOENT", "env: 'gh': No such ...", "timeout: failed to run command 'gh': No such ...", "exec: "gh": ..."
bool starts_programs(std::string_view before) {
  for (const std::string_view word : {"spawn", "env", "xargs", "command", "exec"})
    if (base_name(before) == word) return true;
  return false;
}

void add_words(std::string_view line, std::vector<Word>& words) {
  constexpr std::string_view kBetween = " \t\r'\"`:,()[]{}<>|";
  const std::string text = with_plain_quotes(line);
  const std::size_t first = words.size();
  for (std::size_t from = text.find_first_not_of(kBetween); from != std::string::npos;) {
    const std::size_t to = std::min(text.find_first_of(kBetween, from), text.size());
    words.push_back({text.substr(from, to - from), words.size() > first && starts_programs(words.back().text)});
    from = text.find_first_not_of(kBetween, to);
  }
  // "sh: 1: gh: not found"
  if (text.ends_with(": not found") && words.size() == first + 5 && base_name(words[first].text) == "sh")
    words[first + 2].is_program = true;
}

std::vector<Word> missing_words(std::string_view log) {
  if (log.size() > kSearched) log.remove_prefix(log.size() - kSearched);
  std::vector<Word> words;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    const std::string_view line = log.substr(at, end - at);
    if (says_missing(line)) add_words(line, words);
    at = end + 1;
  }
  return words;
}

// As a path of the workspace: what the script sees below /work, and what its author has on this side.
std::string in_workspace(std::string_view path, std::string_view workspace) {
  if (is_below(path, workspace)) path.remove_prefix(workspace.size() + 1);
  while (path.starts_with("./")) path.remove_prefix(2);
  if (path.starts_with("/work/")) path.remove_prefix(6);
  while (path.ends_with('/')) path.remove_suffix(1);
  return std::string(path);
}

std::string hint_of_files(const RunPlan& plan, const std::vector<Word>& words) {
  const auto opening = Opening::of(plan.script.band.rules.read, false);
  if (!plan.workspace || !opening.ok()) return "";
  Names there;
  for (const Word& word : words) {
    if (there.size() >= kMaxNamed) break;
    const std::string path = in_workspace(word.text, plan.workspace->path());
    if (!is_safe_relative_path(path) || opening->opens(path)) continue;
    const Tree::Kind kind = plan.workspace->resolve(path).kind;
    if (kind == Tree::Kind::File || (kind == Tree::Kind::Directory && !opening->may_open_below(path)))
      there.insert(path);
  }
  if (there.empty()) return "";
  return listed(there) + (there.size() == 1 ? " is" : " are") + " in the workspace, and allow.read does not open " +
         (there.size() == 1 ? "it" : "them");
}

// The script named files as they are called on this side.
std::string hint_of_own_paths(const RunPlan& plan, const std::vector<Word>& words) {
  if (!plan.workspace) return "";
  const std::string& workspace = plan.workspace->path();
  for (const Word& word : words)
    if (is_below(word.text, workspace) && workspace != "/work" && word.text.size() < workspace.size() + kMostNamed)
      return "write ./" + printable_line(word.text.substr(workspace.size() + 1)) +
             ": the script sees the workspace at /work";
  return "";
}

// git's words where no wildcard has matched `.git`, which begins with a dot.
std::string hint_of_repository(const RunPlan& plan, std::string_view log) {
  if (!plan.workspace || log.find("not a git repository") == std::string_view::npos) return "";
  const auto opening = Opening::of(plan.script.band.rules.read, false);
  if (!opening.ok() || opening->may_open_below(".git") || plan.workspace->resolve(".git").kind != Tree::Kind::Directory)
    return "";
  return ".git is in the workspace, and no wildcard of allow.read opens it: name `./.git/**` (band exec: `--read "
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

bool is_essential(std::string_view name) {
  return std::any_of(std::begin(kEssentials), std::end(kEssentials),
                     [&](const Essential& essential) { return essential.name == name; });
}

// `/usr/bin/gh`: where a machine has programs, so that it is no file of anybody's.
bool lies_among_programs(std::string_view path) {
  const auto& directories = built_in_programs().directories;
  return path.starts_with('/') && path.size() > base_name(path).size() + 1 &&
         (path.starts_with("/usr/local/bin/") ||
          std::find(directories.begin(), directories.end(), path.substr(0, path.rfind('/'))) != directories.end());
}

bool may_be_program(const Word& word, std::string_view name) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";
  if (name.empty() || name.size() > 64 || name.find_first_not_of(kPlain) != std::string_view::npos) return false;
  if (name != word.text) return lies_among_programs(word.text);
  return word.is_program || built_in_programs().find(name) != nullptr;
}

std::string hint_of_programs(const RunPlan& plan, const std::vector<Word>& words) {
  const Names declared = declared_programs(plan.script.band.rules.cli);
  Names undeclared, by_path;
  for (const Word& word : words) {
    const std::string name(base_name(word.text));
    if (!may_be_program(word, name) || is_essential(name) || undeclared.size() + by_path.size() >= kMaxNamed) continue;
    if (!declared.contains(name))
      undeclared.insert(name);
    else if (name != word.text)
      by_path.insert(name);
  }
  std::string hint;
  if (!undeclared.empty())
    hint = std::string("the band does not declare the command") + (undeclared.size() == 1 ? " " : "s ") +
           listed(undeclared) + ": allow.cli";
  if (!by_path.empty())
    hint += (hint.empty() ? "" : "; ") + std::string("a declared command is found by its name, not by a path: start ") +
            listed(by_path) + " by " + (by_path.size() == 1 ? "its name" : "their names");
  return hint;
}

}  // namespace

void add_log_hints(const RunPlan& plan, Answer& answer) {
  if (!answer.error) return;
  const std::string log = answer.stdout_log + "\n" + answer.stderr_log;
  const std::vector<Word> words = missing_words(log);
  std::string& hint = answer.error->hint;
  for (const std::string& more : {hint_of_own_paths(plan, words), hint_of_files(plan, words),
                                  hint_of_programs(plan, words), hint_of_repository(plan, log)})
    if (!more.empty()) hint += (hint.empty() ? "" : "; ") + more;
}

}  // namespace band::client
