#include "client/hints/unnoticed.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "client/answers/remedy.h"
#include "client/hints/possible_files.h"
#include "client/shell/variables.h"
#include "client/terminal/terminal.h"
#include "client/workspace/opening.h"
#include "schemas/core/words.h"
#include "schemas/pattern/shell_names.h"
#include "schemas/pattern/shell_text.h"
#include "schemas/programs/essentials.h"
#include "schemas/programs/interpreters.h"
#include "schemas/programs/programs.h"
#include "schemas/rules/checks.h"
#include "schemas/rules/default_ceiling.h"

namespace band::client {
namespace {

using End = learn::AskedCommand::End;

constexpr std::size_t kMostPath = 200;     // bytes
constexpr std::size_t kMostContact = 300;  // bytes of the server's text about a connection

// ---- git ----------------------------------------------------------------------------------------------------------

// Returns the subcommand, after options such as `-C DIR` and `--no-pager`.
std::string git_subcommand(const std::vector<std::string>& argv) {
  static constexpr std::string_view kWithValue[] = {"-C", "-c", "--git-dir", "--work-tree", "--namespace"};
  for (std::size_t i = 1; i < argv.size(); ++i) {
    if (std::find(std::begin(kWithValue), std::end(kWithValue), argv[i]) != std::end(kWithValue))
      ++i;
    else if (!argv[i].starts_with('-'))
      return argv[i];
  }
  return "";
}

// Subcommands that compare the repository with the files of the workspace, or that work on these files.
bool needs_files(const std::string& subcommand) {
  static constexpr std::array kWith = {"add",  "checkout", "clean",   "commit", "diff",
                                       "grep", "ls-files", "restore", "stash",  "status"};
  return std::find(kWith.begin(), kWith.end(), subcommand) != kWith.end();
}

// Whether a visible entry of the workspace's own directory was not sent, not even in part, and is not what the script
// writes.
bool lacks_files(const Failure& run, const Opening& writes) {
  int err = 0;
  const Fd fd = run.workspace->open_directory("", err);
  if (!fd) return false;
  const auto names = list_directory(fd.get(), err, kMostExamined);
  return names && std::any_of(names->begin(), names->end(), [&](const std::string& name) {
           return name[0] != '.' && !writes.opens(name) && !writes.may_open_below(name) && unsent(name, run);
         });
}

void find_git(const Inquiry& inquiry, const Opening& writes, Hints& hints) {
  const Failure& run = inquiry.failure;
  bool no_repository = false, files = false;
  for (const learn::AskedCommand& command : inquiry.evidence.commands) {
    if (command.argv.empty() || command.argv.front() != "git") continue;
    no_repository = no_repository || (command.end == End::Failed && command.text.ends_with("exited 128"));
    files = files || (command.end == End::Succeeded && needs_files(git_subcommand(command.argv)));
  }
  if (no_repository && unsent(".git", run)) {
    const std::string mend = inquiry.mend.directory(".git");
    hints.add(Likelihood::Possible,
              "git failed, and .git of the workspace is not sent to the sandbox" +
                  (mend.empty() ? "" : "; if git needs it, " + mend),
              ".git");
  } else if (files && was_sent(".git", run) && lacks_files(run, writes)) {
    const std::string mend = inquiry.mend.directory("");
    hints.add(Likelihood::Possible,
              "git was started, and not all files of the workspace are sent to the sandbox: git takes the others, if " +
                  std::string("they are tracked, for deleted") + (mend.empty() ? "" : "; if it needs them, " + mend),
              "working tree");
  }
}

// Files of the home directory that programs read by themselves, and caches: a script can do without them.
bool is_optional_at_home(std::string_view path) {
  static constexpr std::string_view kStarts[] = {".bash", ".cache",   ".cargo", ".gitconfig", ".local/bin", ".npm",
                                                 ".nvm",  ".profile", ".pyenv", ".rustup",    ".zsh"};
  return std::any_of(std::begin(kStarts), std::end(kStarts),
                     [&](std::string_view start) { return path.starts_with(start); });
}

// Whether the name is that of a file of the skill, or of an executable file of the workspace that was sent.
bool names_own_program(const std::string& name, const Inquiry& inquiry) {
  const Failure& run = inquiry.failure;
  if (name.starts_with('/') || name.ends_with('/')) return false;
  std::vector<std::string> directories = directories_of_program(run);
  directories.emplace_back();
  for (const std::string& directory : directories)
    if (const auto path = path_for_script(join_path(directory, name), *run.workspace); path && was_sent(*path, run)) {
      const Tree::Found found = run.workspace->resolve(*path);
      return found.kind == Tree::Kind::File && (found.status.st_mode & 0111) != 0;
    }
  for (std::size_t i = 0; i < inquiry.authored.texts().size(); ++i)
    if (inquiry.authored.file(i) == name.substr(name.rfind('/') + 1)) return true;  // a name without directories
  return false;
}

std::string interpreter_for(const std::string& name) {
  const std::string interpreter(interpreter_of_name(name));
  return interpreter.empty() ? "bash" : interpreter;
}

// The file systems with files of the workspace and of the skill have the option noexec: access(2) with X_OK fails.
void find_tested_executables(const Tested& tested, const Inquiry& inquiry, Hints& hints) {
  std::size_t added = 0;
  for (const std::string& name : tested.executables) {
    if (added >= kMostOfKind) return;
    const std::string shown = printable_line(name);
    if (names_own_program(name, inquiry) &&
        hints.add(Likelihood::Possible,
                  "the script tests whether " + shown + " is executable, and in the sandbox no file of the workspace " +
                      "or of the skill is (noexec); " +
                      inquiry.mend.script("test with -f, and start it with its interpreter, as in `" +
                                          printable_line(interpreter_for(name) + " " + quoted_word(name)) + "`"),
                  "executable " + name))
      ++added;
  }
}

// The sandbox shows every workspace as /work.
void find_directory_name(const Tested& tested, const Inquiry& inquiry, Hints& hints) {
  const std::string& workspace = inquiry.failure.workspace->path();
  const std::string name = workspace.substr(workspace.rfind('/') + 1);
  if (!tested.names_directory || name == "work" || name.empty()) return;
  hints.add(Likelihood::Possible,
            "the script uses the name of the current directory, which is `work` in the sandbox and `" +
                printable_line(name) + "` here; " +
                inquiry.mend.script("if the result depends on the name, let the script get it as an argument"),
            "/work");
}

void find_listed(const Tested& tested, const Opening& writes, const Inquiry& inquiry, Hints& hints) {
  const Failure& run = inquiry.failure;
  const bool only_program = run.sent.empty() || (run.sent.size() == 1 && program_argument(run) != 0);
  if (!tested.lists_directory || !has_visible_files("", run) || (!only_program && !lacks_files(run, writes))) return;
  const std::string mend = inquiry.mend.directory("");
  const char* const sent = run.sent.empty() ? "no file of the workspace is"
                           : only_program   ? "no other file of the workspace is"
                                            : "not all files of the workspace are";
  if (!mend.empty())
    hints.add(
        Likelihood::Possible,
        std::string("the script lists directories, and ") + sent + " sent to the sandbox; if it needs them, " + mend,
        ".");
}

// "--output /tmp/report.md": the sandbox has a /tmp of its own.
void find_temporary(const Inquiry& inquiry, Hints& hints) {
  const Failure& run = inquiry.failure;
  const auto add = [&](const std::string& path, const std::string& before) {
    if (path.starts_with("/tmp/") && path.size() <= kMostPath)
      hints.add(Likelihood::Possible,
                before + printable_line(path) +
                    ": the sandbox has a /tmp of its own, which is removed after the run; name a path of the workspace",
                path);
  };
  for (const learn::InputValue& value : learn::values_of(*run.input, *run.given))
    if (value.is_text) add(value.text, "`" + printable_line(value.property) + "` names ");
  for (std::size_t i = 1; i < run.command.size(); ++i) add(run.command[i], "");
}

void find_home_files(const Tested& tested, const Inquiry& inquiry, Hints& hints) {
  const std::string& home = inquiry.failure.home;
  if (home.empty() || home == "/") return;
  std::vector<std::string> names;
  for (const std::string& path : tested.of_home)
    if (!is_optional_at_home(path) && ::access(std::string(home).append("/").append(path).c_str(), F_OK) == 0)
      names.push_back("~/" + path);
  if (names.empty()) return;
  hints.add(Likelihood::Possible,
            inquiry.mend.script("the script names " + listed(names, kMostOfKind) +
                                ", which your home directory has; that of the sandbox is empty: copy what the script " +
                                "needs into the workspace, and let the script use it there"),
            "home");
}

// "git -C /home/ann/project status": the script has got the workspace's path from data.
void find_own_paths(const Inquiry& inquiry, Hints& hints) {
  const std::string& workspace = inquiry.failure.workspace->path();
  for (const learn::AskedCommand& command : inquiry.evidence.commands) {
    if (command.end != End::Failed || workspace.size() < 2) continue;
    for (const std::string& word : command.argv)
      if (word == workspace || word.starts_with(workspace + "/")) {
        hints.add(Likelihood::Possible,
                  printable_line(command.argv.front()) + " failed with the path " + printable_line(word) +
                      ": in the sandbox the workspace is /work; use a relative path",
                  "own path");
        return;
      }
  }
}

void find_tested_programs(const Tested& tested, const Inquiry& inquiry, Hints& hints) {
  if (!inquiry.failure.runs_here) return;  // it is not known which programs the machine has
  std::size_t added = 0;
  const auto add = [&](const std::set<std::string>& names, const char* does) {
    for (const std::string& name : names) {
      if (inquiry.declared.contains(name) || is_essential(name) || is_shell_own(name) ||
          name.find('/') != std::string::npos || !can_be_declared({name}) || is_absent(name, inquiry.failure) ||
          added >= kMostOfKind)
        continue;
      const std::string mend = inquiry.mend.program(name);
      if (!mend.empty() && hints.add(Likelihood::Possible,
                                     "the script " + std::string(does) + " the program " + printable_line(name) +
                                         ", which " + std::string(inquiry.mend.does_not_allow()) +
                                         "; if it needs it, " + mend + std::string(kFewerArguments),
                                     name))
        ++added;
    }
  };
  add(tested.programs, "tests for");
  add(tested.started, "starts");
}

// The default ceiling denies these files.
void find_machine_files(const Inquiry& inquiry, Hints& hints) {
  std::vector<std::string> names;
  for (const char* fact : kMachineFacts)
    if (std::string file = std::string("/") + fact; inquiry.authored.names_path(file)) names.push_back(std::move(file));
  if (!names.empty())
    hints.add(
        Likelihood::Possible,
        inquiry.mend.script("the script names " + listed(names, kMostOfKind) + ", which a sandbox does not have, " +
                            "and which no band can allow on a server with the default ceiling: let it do without"),
        "machine");
}

// A host that the rules allow, and that was not reached: the script can have taken this for another failure.
void find_failed_hosts(const Inquiry& inquiry, Hints& hints) {
  std::size_t added = 0;
  for (const learn::Contact& contact : inquiry.evidence.contacts)
    if (contact.end == learn::Contact::End::Failed && added < kMostOfKind &&
        !(inquiry.failure.answer.error && contains(inquiry.failure.answer.error->message(), contact.text)) &&
        hints.add(Likelihood::Possible, printable_line(contact.text.substr(0, kMostContact)), contact.host))
      ++added;
}

// Variables that describe the caller's machine or session. A sandbox has its own.
bool is_of_session(std::string_view name) {
  static constexpr std::array kNames = {"BROWSER", "CI",   "COLORTERM", "DEBUG", "DISPLAY", "EDITOR",
                                        "LOGNAME", "MAIL", "NO_COLOR",  "PAGER", "SHELL",   "SSH_AUTH_SOCK",
                                        "TMPDIR",  "TZ",   "USER",      "VISUAL"};
  return is_set_by_shell_or_band(name) || std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         name.starts_with("LC_") || name.starts_with("XDG_");
}

void find_tested_variables(const Tested& tested, const Inquiry& inquiry, Hints& hints) {
  const Failure& run = inquiry.failure;
  const auto& env = run.script.band.rules.env;
  std::vector<std::string> names;
  for (const std::string& name : tested.variables)
    if (!is_of_session(name) && run.has_variable && run.has_variable(name) && check_env_name(name).ok() &&
        std::none_of(env.begin(), env.end(), [&](const EnvRule& rule) { return rule.name == name; }))
      names.push_back(name);
  if (names.empty()) return;
  const bool one = names.size() == 1;
  hints.add(Likelihood::Possible,
            "your environment has " + std::string(one ? "the variable " : "variables ") + listed(names) +
                ", which the script reads, and the script does not get " + (one ? "it; " : "them; ") +
                inquiry.mend.variables(names, true),
            std::string(kVariables));
}

}  // namespace

bool may_be_unnoticed(const Script& script, const std::vector<std::string>& command, const Answer& answer) {
  const auto in_files = [](const std::vector<ShippedFile>& files) {
    return std::any_of(files.begin(), files.end(), [](const ShippedFile& file) { return has_test(file.content); });
  };
  return command.size() > 1 || has_test(script.source) || in_files(script.lib) || in_files(script.skill_files) ||
         contains(answer.stdout_log, "/work/") || contains(answer.stderr_log, "/work/") ||
         std::any_of(answer.ledger.begin(), answer.ledger.end(), [](const LedgerEntry& entry) {
           return contains(entry.text, "git ") || contains(entry.text, " failed: ");
         });
}

void find_unnoticed(const Inquiry& inquiry, Hints& hints) {
  if (inquiry.failure.workspace == nullptr) return;
  const auto writes = Opening::of(inquiry.failure.script.band.rules.write, false, PathRules::Use::Write);
  if (!writes.ok()) return;
  find_own_paths(inquiry, hints);
  find_git(inquiry, *writes, hints);
  find_failed_hosts(inquiry, hints);
  const Tested& tested = inquiry.tested();
  find_tested_variables(tested, inquiry, hints);
  find_possible_files(tested, *writes, inquiry, hints);
  find_tested_executables(tested, inquiry, hints);
  find_directory_name(tested, inquiry, hints);
  find_listed(tested, *writes, inquiry, hints);
  find_temporary(inquiry, hints);
  find_home_files(tested, inquiry, hints);
  find_tested_programs(tested, inquiry, hints);
  find_machine_files(inquiry, hints);
}

}  // namespace band::client
