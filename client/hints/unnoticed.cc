#include "client/hints/unnoticed.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "client/shell/reading.h"
#include "client/shell/variables.h"
#include "client/terminal/terminal.h"
#include "client/workspace/opening.h"
#include "schemas/core/lines.h"
#include "schemas/core/words.h"
#include "schemas/pattern/shell_names.h"
#include "schemas/programs/essentials.h"
#include "schemas/programs/programs.h"
#include "schemas/rules/checks.h"

namespace band::client {
namespace {

using End = learn::AskedCommand::End;

// For all programs together: names that are looked up, and words that are examined.
constexpr std::size_t kMostTested = 100, kMostWords = 20'000;
constexpr std::size_t kMostLooped = 20;                 // words of loops that are put in place of the loop's variable
constexpr std::size_t kMostName = 64, kMostPath = 200;  // bytes of a variable's name, and of a path

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

// ---- what the program's text tests --------------------------------------------------------------------------------

struct Tested {
  // `of_home`: relative to the home directory. `looped`: directories in whose entries the script loops.
  std::set<std::string> paths, programs, variables, of_home, looped;
  bool lists_directory = false;
};

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kMostName &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

// Returns the text of a word that begins with a variable: "data/c.json" for `$WS/data/c.json` after WS=".", and for
// `${WS:-.}/data/c.json`. Returns "" if the word has another expansion, or the variable is not known.
std::string expanded(std::string_view word, const std::map<std::string, std::string>& values) {
  for (const std::string_view here : {"$PWD/", "${PWD}/", "./"})
    if (word.starts_with(here)) word.remove_prefix(here.size());
  std::string start;
  if (word.starts_with('$')) {
    const bool braces = word.starts_with("${");
    word.remove_prefix(braces ? 2 : 1);
    const std::size_t end = braces ? word.find('}') : std::min(word.find('/'), word.size());
    if (end == std::string_view::npos) return "";
    const std::string_view name = word.substr(0, end);
    const std::size_t fallback = name.find(":-");
    if (fallback != std::string_view::npos) {
      start = name.substr(fallback + 2);
    } else {
      const auto value = values.find(std::string(name));
      if (value == values.end()) return "";
      start = value->second;
    }
    word.remove_prefix(std::min(end + (braces ? 1 : 0), word.size()));
    if (!word.empty() && word.front() != '/') return "";
  }
  const std::string text = start + std::string(word);
  if (text.find_first_of("$`*?[(") != std::string::npos || text.size() > kMostPath) return "";
  return text.starts_with("./") && text.size() > 2 ? text.substr(2) : text;
}

// Returns the literal texts that lines of a shell text assign: NAME=text. The first one of a name counts.
std::map<std::string, std::string> assignments(std::string_view text) {
  std::map<std::string, std::string> values;
  for (std::string_view line : lines_of(text)) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.starts_with("local ")) line.remove_prefix(6);
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || !is_name(line.substr(0, equals)) || values.size() >= kMostTested) continue;
    std::string_view value = line.substr(equals + 1);
    const char quote = value.empty() ? '\0' : value.front();
    const bool quoted = quote == '"' || quote == '\'';
    if (quoted) value.remove_prefix(1);
    value = value.substr(0, value.find_first_of(quoted ? std::string(1, quote) : " \t;"));
    if (value.size() > kMostPath) continue;
    if (std::string known = expanded(value, values); !known.empty())
      values.emplace(line.substr(0, equals), std::move(known));
  }
  return values;
}

// Finds in one shell text what it tests.
class ShellTests {
 public:
  ShellTests(const std::string& text, Tested& tested, std::size_t& examined)
      : values_(assignments(text)), tested_(tested), examined_(examined) {
    const ShellReading reading = read_shell(text);
    for (const ShellWord& word : reading.loop_words) loop(word);
    files(reading.conditions);
    for (const ShellCommand& command : reading.commands) {
      const std::string& name = command.words.front().text;
      if (name == "[" || name == "test") files(command.words);
      program(command.words);
    }
    for (const ShellVariable& variable : reading.uses)
      if (variable.has_default && tested.variables.size() < kMostTested) tested.variables.insert(variable.name);
  }

 private:
  void files(const std::vector<ShellWord>& words) {
    static constexpr std::array kTests = {"-e", "-f", "-d", "-r", "-s"};
    for (std::size_t i = 0; i + 1 < words.size() && ++examined_ <= kMostWords; ++i) {
      if (std::find(kTests.begin(), kTests.end(), words[i].text) == kTests.end()) continue;
      path(words[i + 1].text);
    }
  }

  // `[ -f "$c/SKILL.md" ]` in `for c in ".claude/skills/x"; do`: with each word of the loops.
  void path(const std::string& word) {
    const auto add = [&](std::string path) {
      if (!path.empty() && tested_.paths.size() < kMostTested) tested_.paths.insert(std::move(path));
    };
    const std::string known = expanded(word, values_);
    if (!known.empty() || !word.starts_with('$')) return add(known);
    const std::size_t slash = word.find('/');
    if (slash == std::string::npos) return;
    for (const std::string& start : looped_) add(expanded(start + word.substr(slash), values_));
  }

  // "skills" of `for d in skills/*` and of `for d in "$SRC"/*` after SRC=skills.
  void loop(const ShellWord& word) {
    if (++examined_ > kMostWords) return;
    const std::size_t glob = word.text.find_first_of("*?[");
    if (glob == std::string::npos) {
      if (word.literal && looped_.size() < kMostLooped) looped_.push_back(word.text);
      return;
    }
    const std::string before = word.text.substr(0, glob);
    const std::size_t slash = before.rfind('/');
    if (slash == std::string::npos) return;
    if (std::string path = expanded(before.substr(0, slash), values_);
        !path.empty() && tested_.looped.size() < kMostTested)
      tested_.looped.insert(std::move(path));
  }

  void program(const std::vector<ShellWord>& words) {
    const std::string& name = words.front().text;
    const std::size_t at = name == "command" && words.size() > 2 && words[1].text == "-v" ? 2 : 1;
    if (at != 2 && name != "which" && name != "hash") return;
    if (at < words.size() && words[at].literal && tested_.programs.size() < kMostTested)
      tested_.programs.insert(words[at].text);
  }

  const std::map<std::string, std::string> values_;
  std::vector<std::string> looped_;  // literal words of `for NAME in`
  Tested& tested_;
  std::size_t& examined_;
};

// The literal argument of calls of Python and JavaScript that test for a file: `os.path.exists("conf/app.json")`.
void read_other_text(std::string_view text, Tested& tested) {
  static constexpr std::string_view kCalls[] = {"exists(", "isfile(", "isdir(", "existsSync(", "Path(", "which("};
  for (const std::string_view call : kCalls)
    for (std::size_t at = text.find(call); at != std::string_view::npos && tested.paths.size() < kMostTested;
         at = text.find(call, at + 1)) {
      std::string_view value = text.substr(at + call.size());
      if (value.size() < 2 || (value.front() != '"' && value.front() != '\'')) continue;
      const char quote = value.front();
      value = value.substr(1, value.find(quote, 1) - 1);
      if (value.empty() || value.size() > 200 || value.find('\n') != std::string_view::npos) continue;
      (call == "which(" ? tested.programs : tested.paths).insert(std::string(value));
    }
}

// Paths in the home directory: "~/.tool/x", "$HOME/.tool/x", process.env.HOME + "/.tool/x".
void read_home_paths(std::string_view text, Tested& tested) {
  static constexpr std::string_view kHomes[] = {"~/", "$HOME/", "${HOME}/", "HOME+\"/", "HOME + \"/", "HOME + '/"};
  const auto is_part = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-' || c == '/';
  };
  for (const std::string_view home : kHomes)
    for (std::size_t at = text.find(home); at != std::string_view::npos && tested.of_home.size() < kMostTested;
         at = text.find(home, at + 1)) {
      const std::string_view rest = text.substr(at + home.size(), kMostPath);
      const auto end = std::find_if_not(rest.begin(), rest.end(), is_part);
      std::string path(rest.begin(), end);
      while (path.ends_with('/') || path.ends_with('.')) path.pop_back();
      if (!path.empty() && !contains(path, "..")) tested.of_home.insert(std::move(path));
    }
}

// Files of the home directory that programs read by themselves, and caches: a script can do without them.
bool is_optional_at_home(std::string_view path) {
  static constexpr std::string_view kStarts[] = {".bash", ".cache",   ".cargo", ".gitconfig", ".local/bin", ".npm",
                                                 ".nvm",  ".profile", ".pyenv", ".rustup",    ".zsh"};
  return std::any_of(std::begin(kStarts), std::end(kStarts),
                     [&](std::string_view start) { return path.starts_with(start); });
}

// Whether the program lists a directory, and takes the current one if it is not given another.
bool lists_directory(std::string_view text) {
  static constexpr std::string_view kLists[] = {"find ",       ".glob(",   ".rglob(",  "os.walk(",
                                                "os.listdir(", "iterdir(", "scandir(", "readdirSync("};
  static constexpr std::string_view kHere[] = {":-.}",        "find .", "default=\".\"",
                                               "default='.'", "cwd()",  "os.walk(\".\")"};
  const auto has = [&](std::string_view part) { return contains(text, part); };
  return std::any_of(std::begin(kLists), std::end(kLists), has) && std::any_of(std::begin(kHere), std::end(kHere), has);
}

// The texts of programs that the run can have used: the script, and files whose names it, or one of these files, has.
// The other scripts of a skill have their files in the same directory. Not the values of the input, and no other
// arguments of the command: they can be data.
std::vector<std::size_t> used_programs(const Authored& authored) {
  std::vector<std::size_t> used, others;
  for (std::size_t i = 0; i < authored.texts().size(); ++i)
    if (authored.kind(i) == Authored::Kind::Shell || authored.kind(i) == Authored::Kind::Other)
      (authored.file(i).empty() ? used : others).push_back(i);
  for (std::size_t next = 0; next < used.size(); ++next) {
    const std::string& text = authored.texts()[used[next]];
    const auto named = std::stable_partition(others.begin(), others.end(), [&](std::size_t i) {
      const std::string& file = authored.file(i);
      return !contains(text, file.substr(0, file.rfind('.')));
    });
    used.insert(used.end(), named, others.end());
    others.erase(named, others.end());
  }
  return used;
}

Tested tested_by(const Authored& authored) {
  Tested tested;
  std::size_t examined = 0;
  for (const std::size_t i : used_programs(authored)) {
    const std::string& text = authored.texts()[i];
    if (authored.kind(i) == Authored::Kind::Shell)
      ShellTests(text, tested, examined);
    else
      read_other_text(text, tested);
    read_home_paths(text, tested);
    tested.lists_directory = tested.lists_directory || lists_directory(text);
  }
  return tested;
}

void find_tested_paths(const Tested& tested, const Opening& writes, const Inquiry& inquiry, Hints& hints) {
  std::size_t added = 0;
  for (const std::string& text : tested.paths) {
    const auto path = path_for_script(text, *inquiry.failure.workspace);
    const auto missing = path ? unsent(*path, inquiry.failure) : std::nullopt;
    if (!missing || added >= kMostOfKind) continue;
    if (missing->directory ? writes.may_open_below(*path) : writes.opens(*path)) continue;  // the script makes it
    const std::string mend = mend_of(*missing, inquiry.mend);
    if (!mend.empty() && hints.add(Likelihood::Possible,
                                   "the script tests for " + std::string(missing->directory ? "the directory " : "") +
                                       printable_line(missing->path) +
                                       ", which is in the workspace and is not sent to the sandbox" + mend,
                                   missing->path))
      ++added;
  }
}

void find_listed(const Tested& tested, const Inquiry& inquiry, Hints& hints) {
  const Failure& run = inquiry.failure;
  const bool only_program = run.sent.empty() || (run.sent.size() == 1 && program_argument(run) != 0);
  if (!tested.lists_directory || !only_program || !has_visible_files("", run)) return;
  const std::string mend = inquiry.mend.directory("");
  if (!mend.empty())
    hints.add(
        Likelihood::Possible,
        "the script lists directories, and no file of the workspace is sent to the sandbox; if it needs them, " + mend,
        ".");
}

// "--output /tmp/report.md": the sandbox has a /tmp of its own.
void find_temporary(const Inquiry& inquiry, Hints& hints) {
  const Failure& run = inquiry.failure;
  for (const learn::InputValue& value : learn::values_of(*run.input, *run.given))
    if (value.is_text && value.text.starts_with("/tmp/") && value.text.size() <= kMostPath)
      hints.add(Likelihood::Possible,
                "`" + printable_line(value.property) + "` names " + printable_line(value.text) +
                    ": the sandbox has a /tmp of its own, which is removed after the run; name a path of the workspace",
                value.text);
  for (std::size_t i = 1; i < run.command.size(); ++i)
    if (const std::string& word = run.command[i]; word.starts_with("/tmp/") && word.size() <= kMostPath)
      hints.add(Likelihood::Possible,
                printable_line(word) + ": the sandbox has a /tmp of its own, which is removed after the run; name " +
                    "a path of the workspace",
                word);
}

void find_looped(const Tested& tested, const Inquiry& inquiry, Hints& hints) {
  std::size_t added = 0;
  for (const std::string& text : tested.looped) {
    const auto path = path_for_script(text, *inquiry.failure.workspace);
    const auto missing = path ? unsent(*path, inquiry.failure) : std::nullopt;
    if (!missing || !missing->directory || added >= kMostOfKind) continue;
    const std::string mend = mend_of(*missing, inquiry.mend);
    if (!mend.empty() && hints.add(Likelihood::Possible,
                                   "the script loops over the entries of " + printable_line(*path) +
                                       ", a directory of the workspace that is not sent to the sandbox" + mend,
                                   *path))
      ++added;
  }
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
  for (const std::string& name : tested.programs) {
    if (inquiry.declared.contains(name) || is_essential(name) || is_shell_own(name) ||
        name.find('/') != std::string::npos || is_absent(name, inquiry.failure) || added >= kMostOfKind)
      continue;
    const std::string mend = inquiry.mend.program(name);
    if (!mend.empty() && hints.add(Likelihood::Possible,
                                   "the script tests for the program " + printable_line(name) + ", which " +
                                       std::string(inquiry.mend.does_not_allow()) + "; if it needs it, " + mend +
                                       " (or, with fewer arguments allowed, the arguments in place of `*`)",
                                   name))
      ++added;
  }
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
  // `${NAME:+x}` is not a default.
  const auto has_default = [&](const std::string& name) {
    return inquiry.authored.contains("{" + name + ":-") || inquiry.authored.contains("{" + name + "-");
  };
  std::vector<std::string> names;
  for (const std::string& name : tested.variables)
    if (!is_of_session(name) && run.has_variable && run.has_variable(name) && check_env_name(name).ok() &&
        has_default(name) &&
        std::none_of(env.begin(), env.end(), [&](const EnvRule& rule) { return rule.name == name; }))
      names.push_back(name);
  if (names.empty()) return;
  hints.add(Likelihood::Possible, "your environment has " +
                                      std::string(names.size() == 1 ? "the variable " : "variables ") + listed(names) +
                                      ", for which the script has a default, and the script does not get " +
                                      (names.size() == 1 ? "it; " : "them; ") + inquiry.mend.variables(names, true));
}

// What a text must contain so that tested_by() finds something in it.
bool has_test(std::string_view text) {
  static constexpr std::string_view kMarks[] = {" -e ",  " -f ",  " -d ",    " -r ",   " -s ",  "command -v", "which",
                                                "hash ", "xists", "isfile(", "isdir(", "Path(", ":-",         "}-"};
  return std::any_of(std::begin(kMarks), std::end(kMarks), [&](std::string_view mark) { return contains(text, mark); });
}

}  // namespace

bool may_be_unnoticed(const Script& script, const std::vector<std::string>& command, const Answer& answer) {
  const auto in_files = [](const std::vector<ShippedFile>& files) {
    return std::any_of(files.begin(), files.end(), [](const ShippedFile& file) { return has_test(file.content); });
  };
  return command.size() > 1 || has_test(script.source) || in_files(script.lib) || in_files(script.skill_files) ||
         std::any_of(answer.ledger.begin(), answer.ledger.end(),
                     [](const LedgerEntry& entry) { return contains(entry.text, "git "); });
}

void find_unnoticed(const Inquiry& inquiry, Hints& hints) {
  if (inquiry.failure.workspace == nullptr) return;
  const auto writes = Opening::of(inquiry.failure.script.band.rules.write, false, PathRules::Use::Write);
  if (!writes.ok()) return;
  find_own_paths(inquiry, hints);
  find_git(inquiry, *writes, hints);
  const Tested tested = tested_by(inquiry.authored);
  find_tested_paths(tested, *writes, inquiry, hints);
  find_looped(tested, inquiry, hints);
  find_listed(tested, inquiry, hints);
  find_temporary(inquiry, hints);
  find_home_files(tested, inquiry, hints);
  find_tested_programs(tested, inquiry, hints);
  find_tested_variables(tested, inquiry, hints);
}

}  // namespace band::client
