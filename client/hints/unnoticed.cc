#include "client/hints/unnoticed.h"

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
  std::set<std::string> paths, programs, variables;
};

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kMostName &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
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
    if (value.size() <= kMostPath && value.find_first_of("$`") == std::string_view::npos)
      values.emplace(line.substr(0, equals), value);
  }
  return values;
}

// Finds in one shell text what it tests.
class ShellTests {
 public:
  ShellTests(const std::string& text, Tested& tested, std::size_t& examined)
      : values_(assignments(text)), tested_(tested), examined_(examined) {
    const ShellReading reading = read_shell(text);
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
  // Returns the path of a word: "README.md" of `README.md`, `$PWD/README.md`, and of `$f` after f=README.md.
  std::string path_of(const ShellWord& word) const {
    std::string_view path = word.text;
    for (const std::string_view here : {"$PWD/", "${PWD}/", "./"})
      if (path.starts_with(here)) path.remove_prefix(here.size());
    if (path.size() > kMostPath || path.find_first_of("`*?[(") != std::string_view::npos) return "";
    if (!path.starts_with('$')) return path.find('$') == std::string_view::npos ? std::string(path) : "";
    path.remove_prefix(path.starts_with("${") ? 2 : 1);
    if (path.ends_with('}')) path.remove_suffix(1);
    const auto value = values_.find(std::string(path));
    return value == values_.end() ? "" : value->second;
  }

  void files(const std::vector<ShellWord>& words) {
    static constexpr std::array kTests = {"-e", "-f", "-d", "-r", "-s"};
    for (std::size_t i = 0; i + 1 < words.size() && ++examined_ <= kMostWords; ++i) {
      if (std::find(kTests.begin(), kTests.end(), words[i].text) == kTests.end()) continue;
      if (std::string path = path_of(words[i + 1]); !path.empty() && tested_.paths.size() < kMostTested)
        tested_.paths.insert(std::move(path));
    }
  }

  void program(const std::vector<ShellWord>& words) {
    const std::string& name = words.front().text;
    const std::size_t at = name == "command" && words.size() > 2 && words[1].text == "-v" ? 2 : 1;
    if (at != 2 && name != "which" && name != "hash") return;
    if (at < words.size() && words[at].literal && tested_.programs.size() < kMostTested)
      tested_.programs.insert(words[at].text);
  }

  const std::map<std::string, std::string> values_;
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

// Not the values of the input, and no other arguments of the command: they can be data.
Tested tested_by(const Authored& authored) {
  Tested tested;
  std::size_t examined = 0;
  for (std::size_t i = 0; i < authored.texts().size(); ++i)
    if (authored.kind(i) == Authored::Kind::Shell)
      ShellTests(authored.texts()[i], tested, examined);
    else if (authored.kind(i) == Authored::Kind::Other)
      read_other_text(authored.texts()[i], tested);
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
                                      (names.size() == 1 ? "it; " : "them; ") + inquiry.mend.variables(names));
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
  find_git(inquiry, *writes, hints);
  const Tested tested = tested_by(inquiry.authored);
  find_tested_paths(tested, *writes, inquiry, hints);
  find_tested_programs(tested, inquiry, hints);
  find_tested_variables(tested, inquiry, hints);
}

}  // namespace band::client
