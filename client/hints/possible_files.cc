// Files and directories of the workspace that a run may have missed: those that the text of the program names, those
// that a sent data file names, and those that the log names.
#include "client/hints/possible_files.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>

#include "client/hints/workspace_names.h"
#include "client/terminal/terminal.h"
#include "schemas/core/lines.h"
#include "schemas/core/words.h"
#include "schemas/rules/named_path.h"

namespace band::client {
namespace {

constexpr std::size_t kMostDirectories = 10, kMostDataFiles = 10;
constexpr std::size_t kMostCompared = 100;   // names that are compared with the texts
constexpr std::size_t kMostData = 64 << 10;  // bytes of a data file
constexpr std::size_t kMostPath = 200;       // bytes

// Adds a hint for each path of the workspace that was not sent. `fact`: the beginning of the hint, or "" for no hint.
void add_unsent(const std::set<std::string>& texts, const Inquiry& inquiry, Hints& hints,
                const std::function<std::string(const Unsent&)>& fact) {
  std::size_t added = 0;
  for (const std::string& text : texts) {
    if (added >= kMostOfKind) return;
    const auto path = path_for_script(text, *inquiry.failure.workspace);
    const auto missing = path ? unsent(*path, inquiry.failure) : std::nullopt;
    const std::string start = missing ? fact(*missing) : "",
                      mend = start.empty() ? "" : mend_of(*missing, inquiry.mend);
    if (mend.empty()) continue;
    // A name that begins with a dot gets no line if the author has not written it.
    const bool authored = !has_hidden_name(missing->path) || inquiry.authored.names_path(missing->path) ||
                          inquiry.authored.names_path(text);
    if (hints.add(Likelihood::Possible, start + (authored ? mend : ""), missing->path)) ++added;
  }
}

std::string shown(const Unsent& missing) {
  return (missing.directory ? "the directory " : "") + printable_line(missing.path);
}

// Whether the script makes the file: then it need not be sent.
bool is_made(const Unsent& missing, const Opening& writes) {
  return missing.directory ? writes.may_open_below(missing.path) : writes.opens(missing.path);
}

// The directories that values of the input, arguments of the command and variables name: a program composes paths with
// them. The first is the workspace.
std::vector<std::string> given_directories(const Failure& run) {
  std::vector<std::string> directories = {""};
  const auto add = [&](const std::string& text) {
    const auto path = path_for_script(text, *run.workspace);
    if (path && !path->empty() && directories.size() < kMostDirectories &&
        run.workspace->resolve(*path).kind == Tree::Kind::Directory)
      directories.push_back(*path);
  };
  for (const learn::InputValue& value : learn::values_of(*run.input, *run.given))
    if (value.is_text) add(value.text);
  for (std::size_t i = 1; i < run.command.size(); ++i) add(run.command[i]);
  for (const auto& [name, value] : run.variables) add(value);
  return directories;
}

std::set<std::string> below(const std::vector<std::string>& directories, const std::set<std::string>& ends) {
  std::set<std::string> paths;
  for (const std::string& directory : directories)
    for (const std::string& end : ends)
      if (end.find("..") == std::string::npos) paths.insert(join_path(directory, end));
  return paths;
}

// The paths that the program of the command finds by its own place: in its directory, or in the nearest one above that
// has them.
std::set<std::string> beside_program(const Tested& tested, const Failure& run) {
  std::set<std::string> paths;
  for (const std::string& end : tested.beside)
    for (const std::string& directory : directories_of_program(run)) {
      const auto path = path_for_script(join_path(directory, end), *run.workspace);
      if (!path || was_sent(*path, run)) break;
      if (!unsent(*path, run)) continue;
      paths.insert(*path);
      break;
    }
  return paths;
}

// Files that belong to programs; they name files of the project that a script need not read.
bool is_manifest(std::string_view path) {
  static constexpr std::array kNames = {"package.json", "package-lock.json", "tsconfig.json", "composer.json",
                                        "Cargo.toml",   "pyproject.toml",    "poetry.lock"};
  return std::find(kNames.begin(), kNames.end(), path.substr(path.rfind('/') + 1)) != kNames.end();
}

bool is_data(std::string_view path, std::string_view content) {
  static constexpr std::array kEndings = {".json", ".yaml", ".yml", ".toml", ".txt", ".csv", ".tsv"};
  return content.starts_with('{') || content.starts_with('[') ||
         std::any_of(kEndings.begin(), kEndings.end(), [&](const char* ending) { return path.ends_with(ending); });
}

// Whether the home directory of the caller has the file. Data chooses the name: no name of it may begin with a dot.
bool is_at_home(const std::string& path, const Failure& run) {
  return run.home.size() > 1 && path.starts_with(run.home + "/") && !contains(path, "..") && !has_hidden_name(path) &&
         ::access(path.c_str(), F_OK) == 0;
}

// The sent files that the input, the command or the program's text names.
std::vector<std::string> named_files(const Inquiry& inquiry) {
  std::vector<std::string> paths;
  std::size_t examined = 0;
  for (const std::string& path : inquiry.failure.sent) {
    if (++examined > kMostCompared || paths.size() >= kMostDataFiles) break;
    if (!is_manifest(path) && inquiry.authored.names_path(path)) paths.push_back(path);
  }
  return paths;
}

void find_named_by_data(const Opening& writes, const Inquiry& inquiry, Hints& hints) {
  for (const std::string& data : named_files(inquiry)) {
    int err = 0;
    const auto file = inquiry.failure.workspace->read(inquiry.failure.workspace->resolve(data).path, kMostData, err);
    if (!file || !is_data(data, file->content)) continue;
    std::set<std::string> names;
    std::size_t examined = 0;
    for (const LogWord& word : words_of(file->content)) {
      if (++examined > kMostExamined) break;
      if (word.text.size() > kMostPath) continue;
      if (hints.has("paths in data") && word.text.starts_with('/')) continue;
      if (word.text.starts_with(inquiry.failure.workspace->path() + "/"))
        hints.add(Likelihood::Possible,
                  printable_line(data) + " has absolute paths of the workspace, such as " + printable_line(word.text) +
                      ": in the sandbox the workspace is /work; use relative paths there",
                  "paths in data");
      else if (is_at_home(word.text, inquiry.failure))
        hints.add(Likelihood::Possible,
                  printable_line(data) + " names " + printable_line(word.text) + ", which the sandbox does not have",
                  "paths in data");
      else if (word.text.find_first_of("/.") != std::string::npos && word.text != "." && !has_hidden_name(word.text))
        names.insert(word.text);
    }
    add_unsent(names, inquiry, hints, [&](const Unsent& missing) {
      return is_made(missing, writes) ? "" : printable_line(data) + " names " + shown(missing) + ", which" + kUnsent;
    });
  }
}

// "README.md - FILE NOT FOUND", "scanned /work/docs": a message of a script that then continues.
void find_named_by_log(const Opening& writes, const Inquiry& inquiry, Hints& hints) {
  std::set<std::string> names;
  std::size_t examined = 0;
  for (const std::string_view line : lines_of(inquiry.failure.log)) {
    const bool is_missing = is_about_missing_file(line);
    if (!is_missing && !contains(line, "/work/")) continue;
    for (const LogWord& word : words_of(line)) {
      if (++examined > kMostExamined) break;
      const bool is_path = word.text.starts_with("/work/") ||
                           (is_missing && word.text.find_first_of("/.") != std::string::npos && word.text != ".");
      if (is_path) names.insert(word.text);
    }
  }
  add_unsent(names, inquiry, hints, [&](const Unsent& missing) {
    return is_made(missing, writes) ? "" : "the script's output names " + shown(missing) + ", which" + kUnsent;
  });
}

}  // namespace

void find_possible_files(const Tested& tested, const Opening& writes, const Inquiry& inquiry, Hints& hints) {
  const Failure& run = inquiry.failure;
  const auto named = [&](const char* what) {
    return [&writes, what](const Unsent& missing) {
      return is_made(missing, writes) ? ""
                                      : "the script " + std::string(what) + " " + shown(missing) + ", which" + kUnsent;
    };
  };
  add_unsent(tested.paths, inquiry, hints, named("tests for"));
  add_unsent(tested.looped, inquiry, hints, [](const Unsent& missing) {
    return missing.directory ? "the script loops over the entries of " + printable_line(missing.path) +
                                   ", a directory of the workspace that is not sent to the sandbox"
                             : "";
  });
  find_named_by_log(writes, inquiry, hints);
  add_unsent(below(given_directories(run), tested.composed), inquiry, hints, named("names"));
  add_unsent(beside_program(tested, run), inquiry, hints, named("names"));
  find_named_by_data(writes, inquiry, hints);
  add_unsent(tested.mentioned, inquiry, hints,
             [&](const Unsent& missing) { return missing.directory ? "" : named("names")(missing); });
}

}  // namespace band::client
