#include <algorithm>
#include <optional>
#include <set>

#include "client/hints/finders.h"
#include "client/hints/workspace_names.h"
#include "client/logs/reading.h"
#include "client/terminal/terminal.h"
#include "client/workspace/opening.h"

namespace band::client {
namespace {

constexpr std::size_t kMostValues = 200;

// A text that the caller has written and that can name a file.
struct Value {
  std::string property;  // "" for a word of a command
  std::string text;
  bool whole = true;  // false: a word inside a longer text, such as the code of `bash -c`
};

std::vector<Value> values_of_input(const Failure& failure) {
  std::vector<Value> values;
  for (const learn::InputValue& value : learn::values_of(*failure.input, *failure.given))
    if (value.is_text && values.size() < kMostValues) values.push_back({value.property, value.text, true});
  return values;
}

std::vector<Value> values_of_command(const Failure& failure) {
  std::vector<Value> values;
  for (std::size_t i = 1; i < failure.command.size() && values.size() < kMostValues; ++i) {
    std::string_view word = failure.command[i];
    if (word.starts_with('-')) {
      const std::size_t equals = word.find('=');
      if (equals == std::string_view::npos) continue;
      word.remove_prefix(equals + 1);
    }
    if (word.find_first_of(" \t\n;|&<>()") == std::string_view::npos) {
      values.push_back({"", std::string(word), true});
      continue;
    }
    values.push_back({"", std::string(word), false});
    for (const LogWord& part : words_of(word))
      if (values.size() < kMostValues) values.push_back({"", part.text, false});
  }
  return values;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// A property such as `title` can have a value that is the name of a directory by chance.
bool names_a_path(const Value& value, const Failure& failure) {
  if (value.text.find('/') != std::string::npos || contains(failure.log, value.text)) return true;
  if (!value.whole) return false;
  if (value.property.empty()) return true;  // a word of a command
  if (value.text.find('.') != std::string::npos) return true;
  for (const std::string_view part : {"path", "file", "dir", "folder", "src", "source", "input", "repo", "project"})
    if (contains(value.property, part)) return true;
  return false;
}

// A value such as `--output report.md` names a file that the script writes. It need not be sent.
bool is_written(const std::string& path, bool directory, const Opening& writes) {
  return directory ? writes.may_open_below(path) : writes.opens(path);
}

}  // namespace

void find_inputs(const Inquiry& inquiry, Hints& hints) {
  const Failure& failure = inquiry.failure;
  if (failure.workspace == nullptr) return;
  const auto writes = Opening::of(failure.script.band.rules.write, false, PathRules::Use::Write);
  if (!writes.ok()) return;
  std::set<std::string> seen;
  const std::vector<Value> values =
      failure.reader == Reader::CommandLine ? values_of_command(failure) : values_of_input(failure);
  for (const Value& value : values) {
    const auto path = path_for_script(value.text, *failure.workspace);
    if (!path || !seen.insert(*path).second || !names_a_path(value, failure)) continue;
    if (path->empty() && !failure.sent.empty()) continue;
    const auto missing = unsent(*path, failure);
    if (!missing || is_written(*path, missing->directory, *writes)) continue;
    const std::string shown = path->empty() ? "the current directory" : printable_line(*path);
    std::string text = value.property.empty() ? shown + " is not sent to the sandbox"
                                              : "`" + printable_line(value.property) + "` names " +
                                                    (missing->directory ? "the directory " : "") + shown +
                                                    ", which is not sent to the sandbox";
    if (missing->directory && !path->empty() && value.property.empty()) text = "the directory " + text;
    hints.add(Likelihood::Given, text + mend_of(*missing, inquiry.mend), *path);
  }
}

}  // namespace band::client
