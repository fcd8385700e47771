#include <unistd.h>

#include <algorithm>
#include <optional>
#include <set>

#include "client/hints/finders.h"
#include "client/hints/workspace_names.h"
#include "client/terminal/terminal.h"
#include "client/workspace/opening.h"
#include "schemas/core/letter_case.h"
#include "schemas/core/lines.h"
#include "schemas/core/words.h"
#include "schemas/pattern/pattern.h"
#include "schemas/pattern/shell_text.h"
#include "schemas/rules/default_ceiling.h"
#include "schemas/rules/named_path.h"

namespace band::client {
namespace {

constexpr std::size_t kMostValues = 200;

// A text that the caller has written and that can name a file.
struct Value {
  std::string property;  // "" for an argument of a command, and for a variable
  std::string text;
  bool whole = true;          // false: a word inside a longer text, such as the code of `bash -c`
  bool of_program = false;    // an argument of the program of an interpreter: "in.csv" in `python3 t.py in.csv`
  std::string variable = {};  // the variable whose value it is, or ""
  bool part = false;          // a part of a list

  bool is_argument() const { return property.empty() && variable.empty(); }
};

// "a.md, docs": adds the parts of a list.
void add_value(std::vector<Value>& values, const Value& value) {
  if (values.size() < kMostValues) values.push_back(value);
  if (!value.whole || value.text.find(',') == std::string::npos) return;
  std::string_view rest = value.text;
  for (std::size_t comma = 0; comma != std::string_view::npos && values.size() < kMostValues;) {
    comma = rest.find(',');
    std::string_view part = rest.substr(0, comma);
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (!part.empty())
      values.push_back({value.property, std::string(part), true, value.of_program, value.variable, true});
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
}

void add_variables(const Failure& failure, std::vector<Value>& values) {
  for (const auto& [name, value] : failure.variables) add_value(values, {"", value, true, false, name});
}

std::vector<Value> values_of_input(const Failure& failure) {
  std::vector<Value> values;
  for (const learn::InputValue& value : learn::values_of(*failure.input, *failure.given))
    if (value.is_text) add_value(values, {value.property, value.text, true});
  add_variables(failure, values);
  return values;
}

std::vector<Value> values_of_command(const Failure& failure) {
  std::vector<Value> values;
  const std::size_t program = program_argument(failure);
  for (std::size_t i = 1; i < failure.command.size() && values.size() < kMostValues; ++i) {
    std::string_view word = failure.command[i];
    if (word.starts_with('-')) {
      const std::size_t equals = word.find('=');
      if (equals == std::string_view::npos) continue;
      word.remove_prefix(equals + 1);
    }
    const bool list = word.find(", ") != std::string_view::npos && word.find_first_of("\t\n;|&<>()") == word.npos;
    const bool whole = list || word.find_first_of(" \t\n;|&<>()") == std::string_view::npos;
    add_value(values, {"", std::string(word), whole, program != 0 && i > program});
    if (whole) continue;
    for (const LogWord& part : words_of(word))
      if (values.size() < kMostValues) values.push_back({"", part.text, false});
  }
  add_variables(failure, values);
  return values;
}

bool looks_like_path(std::string_view text) { return text.find_first_of("/.") != std::string_view::npos; }

bool is_for_paths(std::string_view property) {
  for (const std::string_view part : {"path", "file", "dir", "folder", "src", "source", "input", "repo", "project",
                                      "root", "workspace", "target", "location"})
    if (property.find(part) != std::string_view::npos) return true;
  return false;
}

// Whether the log reports the value as missing.
bool is_reported(const Value& value, const Inquiry& inquiry) {
  const std::string_view text = value.text;
  if (contains(inquiry.failure.log, "Cannot find module '" + value.text + "'")) return true;
  if (text.find(' ') != std::string_view::npos)  // words_of() splits it
    for (const std::string_view line : lines_of(inquiry.failure.log))
      if (line.find("o such file") != std::string_view::npos && line.find(text) != std::string_view::npos) return true;
  return std::any_of(inquiry.missing.begin(), inquiry.missing.end(), [&](const LogWord& word) {
    return word.text == text || (text.size() > 2 && contains_word(word.text, text));
  });
}

// "Source directory not found: data"
bool is_missed(std::string_view directory, const Inquiry& inquiry) {
  return std::any_of(inquiry.absences.begin(), inquiry.absences.end(),
                     [&](std::string_view line) { return contains_word(line, directory); });
}

// A value such as that of `title`, or an argument of `grep src notes.txt`, can be the name of a directory by chance.
bool names_a_path(const Value& value, const Unsent& missing, const Inquiry& inquiry) {
  if (is_reported(value, inquiry)) return true;
  if (!value.whole) return false;
  // "add docs, tests" is a sentence.
  if (value.part && value.property.empty()) return looks_like_path(value.text) || is_missed(value.text, inquiry);
  if (is_for_paths(value.variable.empty() ? value.property : lower_case(value.variable))) return true;
  if (missing.directory && is_missed(value.text, inquiry)) return true;
  // The arguments of `make build` and `git log docs` are names of another kind.
  if (value.property.empty()) return value.of_program || looks_like_path(value.text);
  return value.text.find('/') != std::string::npos || (!missing.directory && looks_like_path(value.text));
}

// A value such as `--output report.md` names a file that the script writes. It need not be sent.
bool is_written(const Unsent& missing, const Value& value, const Inquiry& inquiry, const Opening& writes) {
  if (is_reported(value, inquiry)) return false;
  return missing.directory ? writes.may_open_below(missing.path) : writes.opens(missing.path);
}

std::string late_flag_text(const std::string& flag, const std::string& command) {
  return flag + " is after the command, so it is an argument of " + command +
         ": write the flags of band first: band exec " + flag + " ... -- " + command;
}

// `band exec cat --read . notes.txt`: the flag is an argument of cat.
void find_late_flags(const Failure& failure, Hints& hints) {
  static constexpr std::string_view kUnknown[] = {"nrecognized",   "nrecognised",   "nknown option",     "nknown flag",
                                                  "nvalid option", "llegal option", "nexpected argument"};
  if (std::none_of(std::begin(kUnknown), std::end(kUnknown),
                   [&](std::string_view message) { return contains(failure.log, message); }))
    return;
  static constexpr std::string_view kFlags[] = {"--read", "--write", "--net",      "--cli",
                                                "--env",  "--limit", "--workspace"};
  for (std::size_t i = 1; i < failure.command.size(); ++i) {
    const std::string& word = failure.command[i];
    if (word == "--") return;
    if (std::find(std::begin(kFlags), std::end(kFlags), word) == std::end(kFlags) || !contains(failure.log, word))
      continue;
    hints.add(Likelihood::Given, late_flag_text(word, printable_line(failure.command.front())), word);
    return;
  }
}

// A file of the machine that runs the script, which is also the caller's: `wc /usr/share/dict/words`.
bool add_machine_path(const Value& value, const Inquiry& inquiry, Hints& hints) {
  const Failure& failure = inquiry.failure;
  if (!failure.runs_here || !value.whole || !value.text.starts_with('/') || !is_reported(value, inquiry)) return false;
  if (path_for_script(value.text, *failure.workspace) || ::access(value.text.c_str(), R_OK) != 0) return false;
  const bool closed =
      std::any_of(std::begin(kClosedByDefault), std::end(kClosedByDefault),
                  [&](const std::string& directory) { return value.text.starts_with(directory + "/"); });
  return hints.add(Likelihood::Given,
                   printable_line(value.text) + " is outside of the workspace; " +
                       (closed ? "no flag allows it on a server with the default ceiling: copy what the command needs "
                                 "into the workspace"
                               : "add `--read " + printable_line(quoted_word(escaped_path(value.text))) + "`"),
                   value.text);
}

// Programs of which `.` is a path, and not a pattern or a filter.
bool is_for_directories(const Value& value, const Inquiry& inquiry) {
  static constexpr std::string_view kPrograms[] = {"du", "find", "ls", "tree"};
  if (!value.variable.empty()) return is_for_paths(lower_case(value.variable));
  if (!value.property.empty()) return is_for_paths(value.property);
  return value.of_program ||
         std::find(std::begin(kPrograms), std::end(kPrograms), inquiry.failure.command.front()) != std::end(kPrograms);
}

std::string shown_name(const Value& value) {
  if (!value.variable.empty()) return "the variable " + printable_line(value.variable);
  return value.property.empty() ? printable_line(value.text) : "`" + printable_line(value.property) + "`";
}

// `find .`, `python3 count.py .`: the program can use the workspace without naming a file of it.
void add_workspace(const Value& value, const Inquiry& inquiry, Hints& hints) {
  const Failure& failure = inquiry.failure;
  const bool only_program = failure.sent.empty() || (value.of_program && failure.sent.size() == 1);
  if (!value.whole || !only_program || !is_for_directories(value, inquiry) || !has_visible_files("", failure)) return;
  const std::string mend = inquiry.mend.directory("");
  if (mend.empty()) return;
  hints.add(Likelihood::Given,
            shown_name(value) + " names the workspace, of which no " + (failure.sent.empty() ? "" : "other ") +
                "file is sent to the sandbox; " + mend,
            ".");
}

void add_empty_directory(const Value& value, const std::string& path, const Inquiry& inquiry, Hints& hints) {
  const Failure& failure = inquiry.failure;
  if (!value.whole || was_sent(path, failure) || !is_missed(path, inquiry)) return;
  const Tree::Found found = failure.workspace->resolve(path);
  if (found.kind != Tree::Kind::Directory || has_visible_files(found.path, failure)) return;
  const std::string shown = printable_line(quoted_word(path));
  hints.add(Likelihood::Given,
            inquiry.mend.script("the directory " + shown + " is empty, and empty directories are not sent to the " +
                                "sandbox: begin with `mkdir -p " + shown + "`"),
            path);
}

// An absolute path of the workspace: the sandbox has the workspace at /work.
bool add_own_path(const Value& value, const std::string& path, const Inquiry& inquiry, Hints& hints) {
  if (!value.whole || !value.text.starts_with('/') || value.text.starts_with("/work/")) return false;
  const std::string& log = inquiry.failure.log;
  const std::string top = value.text.substr(0, value.text.find('/', 1));
  const bool failed = inquiry.failure.answer.error.has_value();
  const bool reported = contains(log, value.text) || (contains(log, "Read-only file system") && contains(log, top));
  if (failed && (was_sent(path, inquiry.failure) || !reported)) return false;
  const bool argument = value.is_argument();
  return hints.add(Likelihood::Given,
                   (argument ? "" : shown_name(value) + " names ") + printable_line(value.text) +
                       (argument ? " is" : ", which is") + " in the workspace: in the sandbox it is ./" +
                       printable_line(path) + "; pass this path",
                   "own path");
}

// A path that is outside of the workspace: `../lib.sh`, or a file of the home directory.
bool add_path_above(const Value& value, const Inquiry& inquiry, Hints& hints) {
  if (!value.whole || !is_reported(value, inquiry)) return false;
  const std::string text = text_of_path_above(value.text, inquiry.failure, true);
  return !text.empty() && hints.add(Likelihood::Given, text, value.text);
}

// TOOL_DIR=/home/ann/tool: no rule can allow it on a server with the default ceiling.
bool add_variable_outside(const Value& value, const Inquiry& inquiry, Hints& hints) {
  const Failure& run = inquiry.failure;
  const bool outside = !value.variable.empty() && run.home.size() > 1 && value.text.starts_with(run.home + "/") &&
                       !has_hidden_name(value.text) && !path_for_script(value.text, *run.workspace) &&
                       !(run.workspace->path() + "/").starts_with(value.text + "/");
  return outside && run.runs_here && ::access(value.text.c_str(), F_OK) == 0 &&
         hints.add(Likelihood::Possible,
                   shown_name(value) + " names a path of the home directory, which the sandbox does not have; " +
                       inquiry.mend.script("copy it into the workspace, and set the variable to the relative path of "
                                           "the copy"),
                   value.variable);
}

}  // namespace

void find_inputs(const Inquiry& inquiry, Hints& hints) {
  const Failure& failure = inquiry.failure;
  if (failure.reader == Reader::CommandLine) find_late_flags(failure, hints);
  if (failure.workspace == nullptr) return;
  const auto writes = Opening::of(failure.script.band.rules.write, false, PathRules::Use::Write);
  if (!writes.ok()) return;
  std::set<std::string> seen;
  const std::vector<Value> values =
      failure.reader == Reader::CommandLine ? values_of_command(failure) : values_of_input(failure);
  for (const Value& value : values) {
    if (add_variable_outside(value, inquiry, hints) || add_path_above(value, inquiry, hints)) continue;
    if (failure.reader == Reader::CommandLine && add_machine_path(value, inquiry, hints)) continue;
    const auto path = path_for_script(value.text, *failure.workspace);
    if (!path || (!value.text.starts_with('/') && !seen.insert(*path).second)) continue;
    if (path->empty() && !value.text.starts_with('/')) {
      add_workspace(value, inquiry, hints);
      continue;
    }
    if (add_own_path(value, *path, inquiry, hints)) continue;
    const auto missing = unsent(*path, failure);
    if (!missing) {
      add_empty_directory(value, *path, inquiry, hints);
      continue;
    }
    if (!names_a_path(value, *missing, inquiry) || is_written(*missing, value, inquiry, *writes)) continue;
    const std::string shown = (missing->directory ? "the directory " : "") + printable_line(*path);
    std::string text = value.is_argument()
                           ? shown + " is not sent to the sandbox"
                           : shown_name(value) + " names " + shown + ", which is not sent to the sandbox";
    // A list of words, such as `args`, names more than files.
    std::string mend = mend_of(*missing, inquiry.mend, value.property == "args" ? "" : value.property);
    // A bare word need not be a path: `bash ctl.sh test`.
    if (value.of_program && !looks_like_path(value.text) && !is_missed(value.text, inquiry) &&
        mend.starts_with("; add "))
      mend.replace(0, 2, "; if the program reads it, ");
    text += mend;
    if (value.text.starts_with('/') && value.is_argument())
      text += ", and write ./" + printable_line(*path) + " in the command";
    hints.add(Likelihood::Given, std::move(text), *path);
  }
}

}  // namespace band::client
