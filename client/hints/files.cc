#include <algorithm>
#include <array>
#include <set>

#include "client/hints/finders.h"
#include "client/hints/workspace_names.h"
#include "client/logs/reading.h"
#include "client/terminal/terminal.h"

namespace band::client {
namespace {

constexpr std::size_t kMostWords = 2000;
constexpr std::size_t kMostNamed = 3;       // paths that hints name
constexpr std::size_t kMostGitFile = 4096;  // bytes of a `.git` file

bool is_below(std::string_view path, std::string_view directory) {
  return path.size() > directory.size() + 1 && path.starts_with(directory) && path[directory.size()] == '/';
}

// Whether the file was sent, or at least one file of the directory.
bool was_sent(const std::string& path, const Failure& failure) {
  const auto below = failure.sent.lower_bound(path + "/");
  return failure.sent.contains(path) || (below != failure.sent.end() && below->starts_with(path + "/"));
}

// A path that was sent, by the name that it has on the caller's machine.
void find_own_paths(const Failure& failure, const std::vector<LogWord>& words, Hints& hints) {
  const std::string& workspace = failure.workspace->path();
  if (workspace == "/work") return;
  for (const LogWord& word : words) {
    if (!is_below(word.text, workspace)) continue;
    const auto path = path_for_script(word.text, *failure.workspace);
    if (!path || !was_sent(*path, failure)) continue;
    return hints.add(Likelihood::Reported,
                     "write ./" + printable_line(*path) + ": the script sees the workspace at /work");
  }
}

// The words of the messages themselves. A file can have such a name, but this is much rarer than the messages.
bool belongs_to_message(std::string_view word) {
  static constexpr std::array kWords = {"No",   "no",   "such", "file",  "or",     "directory", "cannot", "access",
                                        "open", "read", "not",  "found", "failed", "to",        "run",    "command"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

void find_missing(const Inquiry& inquiry, const std::vector<LogWord>& words, Hints& hints) {
  const Failure& failure = inquiry.failure;
  std::set<std::string> named;
  std::size_t examined = 0;
  for (const LogWord& word : words) {
    if (named.size() >= kMostNamed || ++examined > kMostWords) break;
    const auto path = path_for_script(word.text, *failure.workspace);
    if (!path || path->empty() || named.contains(*path) || belongs_to_message(word.text)) continue;
    const auto missing = unsent(*path, failure);
    if (!missing) continue;
    named.insert(*path);
    hints.add(Likelihood::Reported,
              (missing->directory ? "the directory " : "") + printable_line(*path) +
                  " is in the workspace and is not sent to the sandbox" + mend_of(*missing, inquiry.mend),
              *path);
  }
}

// Returns the directory of the repository of a linked worktree or a submodule, whose `.git` is a file; or "".
std::string repository_elsewhere(const Tree& workspace) {
  constexpr std::string_view kBefore = "gitdir: ";
  int err = 0;
  const auto file = workspace.read(".git", kMostGitFile, err);
  if (!file || !file->content.starts_with(kBefore)) return "";
  std::string_view path = std::string_view(file->content).substr(kBefore.size());
  return std::string(path.substr(0, path.find_first_of("\r\n")));
}

// Whether git found no repository: by its message, or by its status if the script has thrown the message away.
bool misses_a_repository(const Inquiry& inquiry) {
  if (misses_repository(inquiry.failure.log)) return true;
  const auto& commands = inquiry.evidence.commands;
  return std::any_of(commands.begin(), commands.end(), [](const learn::AskedCommand& command) {
    return command.end == learn::AskedCommand::End::Failed && !command.argv.empty() && command.argv.front() == "git" &&
           command.text.ends_with("exited 128");
  });
}

void find_repository(const Inquiry& inquiry, Hints& hints) {
  const Failure& failure = inquiry.failure;
  if (!misses_a_repository(inquiry)) return;
  const std::string elsewhere = repository_elsewhere(*failure.workspace);
  if (!elsewhere.empty() && !path_for_script(elsewhere, *failure.workspace)) {
    const std::string main = elsewhere.substr(0, elsewhere.find("/.git/"));
    return hints.add(Likelihood::Reported, "the workspace is a linked worktree: its repository is " +
                                               printable_line(elsewhere) +
                                               ", which is outside the workspace and is not sent; run band in " +
                                               printable_line(main) + ", or in a clone");
  }
  if (const auto missing = unsent(".git", failure))
    hints.add(Likelihood::Reported,
              ".git is in the workspace and is not sent to the sandbox, because wildcards match "
              "no name that begins with a dot" +
                  mend_of(Unsent{".git", true, ""}, inquiry.mend),
              ".git");
}

}  // namespace

void find_files(const Inquiry& inquiry, Hints& hints) {
  const Failure& failure = inquiry.failure;
  if (failure.workspace == nullptr) return;
  const std::vector<LogWord> words = missing_words(failure.log);
  find_own_paths(failure, words, hints);
  find_missing(inquiry, words, hints);
  find_repository(inquiry, hints);
}

}  // namespace band::client
