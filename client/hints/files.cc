#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "client/hints/finders.h"
#include "client/hints/workspace_names.h"
#include "client/terminal/terminal.h"
#include "client/workspace/opening.h"
#include "schemas/core/lines.h"
#include "schemas/core/words.h"
#include "schemas/pattern/shell_text.h"
#include "schemas/rules/named_path.h"

namespace band::client {
namespace {

constexpr std::size_t kMostGitFile = 4096;  // bytes of a `.git` file
constexpr std::size_t kMostAbove = 20;      // directories above the workspace
constexpr std::size_t kMostName = 100;      // bytes of a directory's name

// The words of the messages themselves. A file can have such a name, but this is much rarer than the messages.
bool belongs_to_message(std::string_view word) {
  static constexpr std::array kWords = {"No",   "no",   "such", "file",  "or",     "directory", "cannot", "access",
                                        "open", "read", "not",  "found", "failed", "to",        "run",    "command"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

// Whether the word is the name of a program that could not be started: Python reports it like a missing file.
bool is_missing_program(const LogWord& word, const Inquiry& inquiry) {
  if (word.text.find_first_of("/.") != std::string::npos) return false;
  return word.is_program || contains(inquiry.failure.log, "_execute_child") ||
         std::any_of(inquiry.evidence.commands.begin(), inquiry.evidence.commands.end(),
                     [&](const learn::AskedCommand& command) {
                       return command.end == learn::AskedCommand::End::NotFound && !command.argv.empty() &&
                              command.argv.front() == word.text;
                     });
}

// A path that was sent, by the name that it has on the caller's machine.
bool is_own_path(const LogWord& word, const std::string& path, const Failure& failure) {
  return word.text.starts_with('/') && !word.text.starts_with("/work/") && was_sent(path, failure);
}

// The file cannot be created, because the sandbox has only the directories of files that were sent.
bool lacks_directory(const std::string& path, const Failure& failure, const Opening& writes) {
  const std::string directory = path.substr(0, path.rfind('/'));
  return directory.size() != path.size() && !was_sent(directory, failure) && writes.may_open_below(directory) &&
         failure.workspace->resolve(path).kind == Tree::Kind::Missing;
}

std::string directory_text(const std::string& quoted) {
  const std::string directory = printable_line(quoted);
  return "the sandbox has no directory " + directory + ", because no file of it was sent: begin with `mkdir -p " +
         directory + "`";
}

// A file that the script cannot create, because no file of its directory was sent.
std::string text_of_new_file(const std::string& path, const Inquiry& inquiry, const Opening& writes) {
  const std::string directory = path.substr(0, path.rfind('/'));
  if (writes.may_open_below(directory)) return "";  // `mkdir -p` is enough
  if (directory.size() == path.size() || inquiry.failure.workspace->resolve(path).kind != Tree::Kind::Missing)
    return "";
  const auto missing = unsent(directory, inquiry.failure);
  return missing && missing->directory && !has_hidden_name(directory)
             ? "the sandbox has no directory " + printable_line(directory) + ", because no file of it was sent" +
                   mend_of(*missing, inquiry.mend)
             : "";
}

// For a pattern of the shell that matched no file: "src/*.py".
std::string pattern_text(const std::string& path, const Inquiry& inquiry) {
  const std::string above = path.substr(0, path.find_first_of("*?["));
  const std::string directory = above.substr(0, above.find_last_of('/') == std::string::npos ? 0 : above.rfind('/'));
  if (directory.empty()) return "";
  const auto missing = unsent(directory, inquiry.failure);
  return missing ? unsent_text(*missing, kUnsent, inquiry) : "";
}

constexpr std::string_view kEmptyHome =
    "the home directory of a sandbox is empty, and is removed after the run: copy the file into the workspace, and let "
    "the program use it there";

// `${TOOL_DIR:-$HOME/.tool}`, and the caller's environment has TOOL_DIR: the script would not look into the home
// directory.
std::vector<std::string> variables_for_home(const Inquiry& inquiry) {
  const Failure& run = inquiry.failure;
  std::vector<std::string> names;
  for (const std::string& name : inquiry.tested().variables)
    if ((inquiry.authored.contains("{" + name + ":-$HOME") || inquiry.authored.contains("{" + name + ":-~") ||
         inquiry.authored.contains("{" + name + ":-${HOME")) &&
        run.has_variable && run.has_variable(name) && !run.variables.contains(name) && names.size() < kMostOfKind)
      names.push_back(name);
  return names;
}

void add_home(const Inquiry& inquiry, Hints& hints) {
  if (hints.has("home") || hints.has(kVariables)) return;  // a log can name many paths of the home directory
  if (const std::string mend = inquiry.mend.variables(variables_for_home(inquiry)); !mend.empty()) {
    hints.add(Likelihood::Reported,
              "the home directory of a sandbox is empty; your environment has a variable that replaces its path, and "
              "the script does not get it; " +
                  mend,
              std::string(kVariables));
    return;
  }
  hints.add(Likelihood::Reported, inquiry.mend.script(std::string(kEmptyHome)), "home");
}

// A path of the home directory: of a command, or of the script, whose home is /tmp.
bool is_in_home(const std::string& path, const Inquiry& inquiry) {
  return path.starts_with("/band/home/") ||
         (path.starts_with("/tmp/") && (inquiry.authored.contains("~/") || inquiry.authored.contains("HOME")));
}

std::string own_path_text(const LogWord& word, const std::string& path, const Inquiry& inquiry) {
  return inquiry.mend.script("use the path ./" + printable_line(path) + " in place of " + printable_line(word.text) +
                             ": the sandbox has the workspace at /work");
}

std::string text_of(const LogWord& word, const std::string& path, const Inquiry& inquiry, const Opening& writes) {
  const Failure& failure = inquiry.failure;
  if (path.find_first_of("*?[") != std::string::npos) return pattern_text(path, inquiry);
  if (is_own_path(word, path, failure)) return own_path_text(word, path, inquiry);
  if (const auto missing = unsent(path, failure)) {
    std::string text = unsent_text(*missing, kUnsent, inquiry);
    if (word.text.starts_with(failure.workspace->path() + "/")) text += ", and " + own_path_text(word, path, inquiry);
    return text;
  }
  if (std::string text = text_of_new_file(path, inquiry, writes); !text.empty()) return text;
  if (lacks_directory(path, failure, writes))
    return inquiry.mend.script(directory_text(quoted_word(path.substr(0, path.rfind('/')))));
  return "";
}

// A script can print any path. The author must have written the end of one that is outside of the workspace.
bool is_authored_above(const std::string& path, const Inquiry& inquiry) {
  const std::string end = path.substr(path.rfind("../") + 3);
  // After `cd sub`, `../lib.sh` is a file of the workspace.
  return !has_hidden_name(end) && inquiry.authored.names_path(end) &&
         inquiry.failure.workspace->resolve(end).kind == Tree::Kind::Missing;
}

// A file of the skill that the sandbox does not have: "/band/skill/templates/a.md".
std::string text_of_skill_file(std::string_view path, const Inquiry& inquiry) {
  constexpr std::string_view kSkill = "/band/skill/";
  if (!path.starts_with(kSkill)) return "";
  path.remove_prefix(kSkill.size());
  const std::string name(path.substr(0, path.find('/')));
  if (name.empty() || name.size() > kMostName || name == "assets" || name == "references" || name == "lib") return "";
  return inquiry.mend.script(
      name == "scripts" ? "the sandbox has the files of scripts/ in /band/skill/lib: let the script find them there, "
                          "next to its own file"
                        : "a sandbox has only the scripts, assets and references of a skill: move " +
                              printable_line(name) + " into assets/, and let the script use the new path");
}

void find_missing(const Inquiry& inquiry, Hints& hints) {
  const Failure& failure = inquiry.failure;
  const auto writes = Opening::of(failure.script.band.rules.write, false, PathRules::Use::Write);
  if (!writes.ok()) return;
  std::size_t examined = 0, added = 0;
  for (const LogWord& word : inquiry.missing) {
    if (added >= kMostOfKind || ++examined > kMostExamined) break;
    if (is_in_home(word.text, inquiry)) {
      add_home(inquiry, hints);
      continue;
    }
    if (const std::string text = text_of_skill_file(word.text, inquiry); !text.empty()) {
      hints.add(Likelihood::Reported, text, "skill");
      continue;
    }
    if (contains(word.text, "../") && is_authored_above(word.text, inquiry) &&
        hints.add(Likelihood::Reported, text_of_path_above(word.text, failure), word.text)) {
      ++added;
      continue;
    }
    const auto path = path_for_script(word.text, *failure.workspace);
    if (!path || path->empty() || belongs_to_message(word.text) || is_missing_program(word, inquiry)) continue;
    if (hints.add(Likelihood::Reported, text_of(word, *path, inquiry, *writes), *path)) ++added;
  }
}

// A message that can have other causes. The author must have named the file.
bool may_be_about_file(std::string_view line) { return contains(line, "could not") || contains(line, "unable to"); }

// A script tests for a file and prints its own message: "config file conf/app.json is missing".
void find_tested(const Inquiry& inquiry, Hints& hints) {
  const Failure& failure = inquiry.failure;
  std::size_t examined = 0, added = 0;
  std::set<std::string> seen;
  for (const std::string_view line : lines_of(failure.log)) {
    const bool missing_file = is_about_missing_file(line),
               of_sandbox = contains(line, "/work/") && !contains(line, "Cannot find module");  // find_modules()
    if (!missing_file && !of_sandbox && !may_be_about_file(line)) continue;
    for (const LogWord& word : words_of(line)) {
      if (added >= kMostOfKind || ++examined > kMostExamined) return;
      if (word.text.find_first_of("/.") == std::string::npos ||
          !seen.insert(word.text + (missing_file ? "\n" : "")).second)
        continue;
      const auto path = path_for_script(word.text, *failure.workspace);
      const auto missing = path ? unsent(*path, failure) : std::nullopt;
      if (!missing || (!missing_file && !word.text.starts_with("/work/") && !inquiry.authored.names_path(word.text)))
        continue;
      if (hints.add(Likelihood::Reported, unsent_text(*missing, kUnsent, inquiry), *path)) ++added;
    }
  }
}

// "[ERROR] no state at /tmp/.state/reward.json": the home directory of a script is /tmp.
void find_in_home(const Inquiry& inquiry, Hints& hints) {
  constexpr std::string_view kHidden = "/tmp/.";
  std::size_t examined = 0;
  for (const std::string_view line : lines_of(inquiry.failure.log)) {
    const bool is_error = is_about_missing_file(line) || contains(line, "rror") || contains(line, "ERR");
    if (!is_error || !contains(line, kHidden)) continue;
    for (const LogWord& word : words_of(line)) {
      if (++examined > kMostExamined) return;
      if (word.text.starts_with(kHidden) && is_in_home(word.text, inquiry)) add_home(inquiry, hints);
    }
  }
}

// Programs that do not name the file that they miss.
struct UnnamedFile {
  std::string_view message, file;
};
constexpr UnnamedFile kUnnamedFiles[] = {
    {"no makefile found", "Makefile"}, {"no makefile found", "makefile"}, {"no makefile found", "GNUmakefile"}};

void find_unnamed(const Inquiry& inquiry, Hints& hints) {
  for (const UnnamedFile& unnamed : kUnnamedFiles) {
    if (!contains(inquiry.failure.log, unnamed.message)) continue;
    if (const auto missing = unsent(std::string(unnamed.file), inquiry.failure))
      hints.add(Likelihood::Reported,
                std::string(unnamed.file) + " is not sent to the sandbox" + mend_of(*missing, inquiry.mend));
  }
}

// Path(__file__).parents[3]: in the sandbox the program is at /work/t.py or /band/skill/lib/t.py.
void find_depth(const Inquiry& inquiry, Hints& hints) {
  if (!contains(inquiry.failure.log, "IndexError") || !inquiry.authored.contains(".parents[")) return;
  const bool exec = inquiry.failure.reader == Reader::CommandLine;
  hints.add(Likelihood::Reported,
            exec ? "the program names a directory several levels above its own file, and in the sandbox its path has "
                   "fewer levels: copy the whole directory of the skill or project into the workspace, and start the "
                   "program there"
                 : inquiry.mend.script("it names a directory several levels above its own file, which is " +
                                       std::string("/band/skill/lib/FILE in the sandbox: let it take the directory ") +
                                       "from an argument, or use the current one"),
            "depth");
}

// Returns the path of the repository of a linked worktree, from its `.git` file: "/srv/r/.git/worktrees/wt"; or "".
std::string repository_of_worktree(const Tree& workspace) {
  constexpr std::string_view kBefore = "gitdir: /", kPlain = "/._-+@%~ ";
  int err = 0;
  const auto file = workspace.read(".git", kMostGitFile, err);
  if (!file || !file->content.starts_with(kBefore)) return "";
  std::string_view path = std::string_view(file->content).substr(kBefore.size() - 1);
  path = path.substr(0, path.find_first_of("\r\n"));
  const bool plain = std::all_of(path.begin(), path.end(), [&](unsigned char c) {
    return std::isalnum(c) != 0 || kPlain.find(static_cast<char>(c)) != std::string_view::npos;
  });
  return plain && contains(path, "/.git/worktrees/") ? std::string(path) : "";
}

// The workspace is a subdirectory of a repository.
void add_repository_above(const Inquiry& inquiry, Hints& hints) {
  namespace fs = std::filesystem;
  const Failure& failure = inquiry.failure;
  if (failure.workspace->resolve(".git").kind != Tree::Kind::Missing ||
      (!inquiry.uses_program("git") && !inquiry.authored.names_program("git")))
    return;
  std::size_t examined = 0;
  std::error_code failed;
  for (fs::path above = fs::path(failure.workspace->path()).parent_path();
       above.has_relative_path() && ++examined <= kMostAbove; above = above.parent_path()) {
    if (!fs::exists(above / ".git", failed)) continue;
    const std::string shown = printable_line(quoted_word(above.native())), mend = inquiry.mend.directory(".git");
    hints.add(Likelihood::Reported,
              "the repository is in " + shown + ", above the workspace: " +
                  (failure.reader == Reader::Agent ? "call the script in that directory"
                                                   : "run with `--workspace " + shown + "`") +
                  (mend.empty() ? "" : ", and " + mend),
              ".git");
    return;
  }
}

// Whether git found no repository: by its message, or, if the script has thrown the message away, by its status.
bool misses_a_repository(const Inquiry& inquiry) {
  if (misses_repository(inquiry.failure.log)) return true;
  if (contains(inquiry.failure.log, "fatal:")) return false;  // another error of git
  const auto& commands = inquiry.evidence.commands;
  return std::any_of(commands.begin(), commands.end(), [](const learn::AskedCommand& command) {
    return command.end == learn::AskedCommand::End::Failed && !command.argv.empty() && command.argv.front() == "git" &&
           command.text.ends_with("exited 128");
  });
}

void find_repository(const Inquiry& inquiry, Hints& hints) {
  const Failure& failure = inquiry.failure;
  if (!misses_a_repository(inquiry)) return;
  if (const std::string elsewhere = repository_of_worktree(*failure.workspace); !elsewhere.empty()) {
    hints.add(Likelihood::Reported,
              "the workspace is a linked worktree: its repository is " + elsewhere +
                  ", which is outside the workspace and is not sent; run band in " +
                  elsewhere.substr(0, elsewhere.find("/.git/worktrees/")) + ", or in a clone",
              ".git");
    return;
  }
  const auto missing = unsent(".git", failure);
  if (!missing) return add_repository_above(inquiry, hints);
  // `.git/config` can have credentials: a log alone gets no line for it.
  const bool uses_git = inquiry.uses_program("git") || inquiry.authored.names_program("git");
  std::string mend = uses_git ? mend_of(Unsent{".git", missing->directory, ""}, inquiry.mend) : "";
  // With .git alone, `git add .` would record that all files are deleted.
  if (mend.starts_with("; ") && failure.sent.empty() && has_visible_files("", failure))
    mend += "; git takes files that are not sent for deleted, so if it uses them, too, " + inquiry.mend.directory("");
  hints.add(Likelihood::Reported, std::string(".git") + kUnsent + mend, ".git");
}

}  // namespace

bool is_about_missing_file(std::string_view line) {
  static constexpr std::array kMessages = {"not found",       "issing",      "oes not exist", "cannot read",
                                           "no such",         "cannot open", "an't open",     "o such ",
                                           "not a directory", "not a file",  "no dir"};
  const auto has = [&](const char* message) { return contains(line, message); };
  const bool none_found =
      (line.starts_with("No ") || contains(line, " No ") || contains(line, " no ")) && has(" found");
  return none_found || line.ends_with(" found") || std::any_of(kMessages.begin(), kMessages.end(), has);
}

std::string unsent_text(const Unsent& missing, const std::string& what, const Inquiry& inquiry) {
  const std::string mend = mend_of(missing, inquiry.mend);
  const bool only_fact = has_hidden_name(missing.path) && !inquiry.authored.names_path(missing.path) &&
                         !is_beside_program(missing.path, inquiry.failure) && !mend.starts_with("; deny");
  return (missing.directory ? "the directory " : "") + printable_line(missing.path) + what + (only_fact ? "" : mend);
}

void find_files(const Inquiry& inquiry, Hints& hints) {
  if (inquiry.failure.workspace == nullptr) return;
  find_missing(inquiry, hints);
  find_tested(inquiry, hints);
  find_in_home(inquiry, hints);
  find_unnamed(inquiry, hints);
  find_depth(inquiry, hints);
  find_repository(inquiry, hints);
}

}  // namespace band::client
