#include "client/logs/reading.h"

#include <algorithm>

#include "schemas/core/lines.h"
#include "schemas/programs/essentials.h"
#include "schemas/programs/programs.h"

namespace band::client {
namespace {

constexpr std::size_t kMostVariables = 50;
constexpr std::size_t kMostLog = 64 << 10;  // bytes at the end of a log that are read

bool is_below(std::string_view path, std::string_view directory) {
  return path.size() > directory.size() + 1 && path.starts_with(directory) && path[directory.size()] == '/';
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// GNU programs quote with ‘’ in UTF-8.
std::string with_plain_quotes(std::string_view line) {
  std::string text(line);
  for (const std::string_view quote : {"\u2018", "\u2019"})
    for (std::size_t at = text.find(quote); at != std::string::npos; at = text.find(quote, at))
      text.replace(at, 3, "'");
  return text;
}

// The first is the message of libc, Python and bash, the second of Node.js, the third of Go, the last of dash.
bool says_missing(std::string_view line) {
  return line.find("o such file or directory") != std::string_view::npos || line.ends_with(" ENOENT") ||
         line.find("executable file not found") != std::string_view::npos || line.ends_with(": not found");
}

// "spawn gh ENOENT", "timeout: failed to run command 'gh': No such ...", "exec: "gh": ..."; and, if the word before is
// the first one, "env: 'gh': No such ...". In "cat: env: No such ..." env is a file.
bool starts_programs(std::string_view before, bool is_first) {
  const std::string_view name = base_name(before);
  if (is_first && (name == "env" || name == "xargs")) return true;
  return name == "spawn" || name == "command" || name == "exec";
}

void add_words(std::string_view line, std::vector<LogWord>& words) {
  constexpr std::string_view kBetween = " \t\r'\"`:,()[]{}<>|";
  const std::string text = with_plain_quotes(line);
  const std::size_t first = words.size();
  for (std::size_t from = text.find_first_not_of(kBetween); from != std::string::npos;) {
    const std::size_t to = std::min(text.find_first_of(kBetween, from), text.size());
    words.push_back({text.substr(from, to - from),
                     words.size() > first && starts_programs(words.back().text, words.size() == first + 1)});
    from = text.find_first_not_of(kBetween, to);
  }
  // "sh: 1: gh: not found"
  if (text.ends_with(": not found") && words.size() == first + 5 && base_name(words[first].text) == "sh")
    words[first + 2].is_program = true;
}

// Returns true for a path such as `/usr/bin/gh`, in a directory where machines have programs, not data files.
bool lies_among_programs(std::string_view path) {
  const auto& directories = built_in_programs().directories;
  return path.starts_with('/') && path.size() > base_name(path).size() + 1 &&
         (path.starts_with("/usr/local/bin/") ||
          std::find(directories.begin(), directories.end(), path.substr(0, path.rfind('/'))) != directories.end());
}

}  // namespace

std::string end_of_log(const std::string& log) {
  return log.size() <= kMostLog ? log : log.substr(log.size() - kMostLog);
}

std::string log_of(const Answer& answer) {
  return end_of_log(answer.stdout_log) + "\n" + end_of_log(answer.stderr_log);
}

std::vector<LogWord> missing_words(std::string_view log) {
  std::vector<LogWord> words;
  for (const std::string_view line : lines_of(log))
    if (says_missing(line)) add_words(line, words);
  return words;
}

std::vector<LogWord> words_of(std::string_view text) {
  std::vector<LogWord> words;
  for (const std::string_view line : lines_of(text)) add_words(line, words);
  return words;
}

std::string program_of(const LogWord& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";
  const std::string name(base_name(word.text));
  if (name.empty() || name.size() > 64 || name.find_first_not_of(kPlain) != std::string::npos || is_essential(name))
    return "";
  const bool may_be =
      name != word.text ? lies_among_programs(word.text) : word.is_program || built_in_programs().find(name) != nullptr;
  return may_be ? name : "";
}

std::string in_workspace(std::string_view path, std::string_view workspace) {
  if (is_below(path, workspace)) path.remove_prefix(workspace.size() + 1);
  while (path.starts_with("./")) path.remove_prefix(2);
  if (path.starts_with("/work/")) path.remove_prefix(6);
  while (path.ends_with('/')) path.remove_suffix(1);
  return std::string(path);
}

bool misses_repository(std::string_view log) { return log.find("ot a git repository") != std::string_view::npos; }

std::vector<std::string> unset_variables(std::string_view log) {
  constexpr std::string_view kEnd = ": unbound variable";
  std::vector<std::string> names;
  for (std::string_view line : lines_of(log)) {
    if (!line.ends_with(kEnd) || names.size() >= kMostVariables) continue;
    line.remove_suffix(kEnd.size());
    const std::size_t before = line.rfind(": ");
    std::string name(before == std::string_view::npos ? line : line.substr(before + 2));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace band::client
