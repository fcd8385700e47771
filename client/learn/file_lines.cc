#include "client/learn/file_lines.h"

#include <algorithm>
#include <map>

#include "client/learn/band_edit.h"
#include "client/logs/reading.h"
#include "schemas/core/json_text.h"
#include "schemas/core/obeyed_names.h"
#include "schemas/pattern/pattern.h"
#include "schemas/rules/named_path.h"
#include "schemas/wire/wire.h"

namespace band::client::learn {
namespace {

constexpr std::size_t kMostLines = 200;  // per run: a script can name any number of files
constexpr std::size_t kMostDecisions = 20;

// Returns the path in the workspace that `text` names; "" when it names none.
std::string plain(const FileSearch& search, std::string_view text) {
  const std::string path = in_workspace(text, search.workspace.path);
  return is_safe_relative_path(path) ? path : "";
}

// Returns the property of the input whose value is this path; "" for none.
std::string property_of(const FileSearch& search, const std::string& path) {
  for (const InputValue& value : search.values)
    if (value.is_text && search.properties.contains(value.property) && plain(search, value.text) == path &&
        !search.hidden_default(value.property))
      return value.property;
  return "";
}

Line read_line(std::string pattern, std::string reason, std::string evidence, std::string source) {
  Line line;
  line.section = "allow";
  line.domain = "read";
  line.pattern = std::move(pattern);
  line.reason = std::move(reason);
  line.evidence = std::move(evidence);
  line.source = std::move(source);
  line.wants_read = true;
  return line;
}

void add(Line line, FileLines& found) {
  const auto same = [&](const Line& other) { return other.domain == line.domain && other.pattern == line.pattern; };
  if (found.lines.size() < kMostLines && std::none_of(found.lines.begin(), found.lines.end(), same))
    found.lines.push_back(std::move(line));
}

void add_decision(const std::string& write, const std::string& reason, FileLines& found) {
  const auto same = [&](const Decision& other) { return other.write == write; };
  if (found.decisions.size() < kMostDecisions && std::none_of(found.decisions.begin(), found.decisions.end(), same))
    found.decisions.push_back({write, reason});
}

std::string decision_text(const std::string& domain, const std::string& pattern) {
  return domain + ": [" + escaped(json_string(pattern)) + "]";  // the same as item_text()
}

std::string read_decision(const std::string& pattern) { return decision_text("read", pattern); }

constexpr const char* kHidden = "; its name begins with a dot";

// A script can name files that it must not see; users keep keys in files whose name begins with a dot. A person decides
// about these.
void add_file(const FileSearch& search, const std::string& path, const std::string& why, const std::string& evidence,
              const std::string& source, FileLines& found) {
  if (path.empty() || search.reads(path) || search.workspace.look(path) != FileKind::File) return;
  const std::string property = property_of(search, path);
  if (!property.empty())
    return add(read_line("{" + property + "}", why + ", and the input's `" + property + "` names it", evidence, source),
               found);
  if (has_hidden_name(path))
    return add_decision(read_decision(literal_pattern(path)), why + " (" + source + ")" + kHidden, found);
  add(read_line(literal_pattern(path), why, evidence, source), found);
}

void add_directory(const FileSearch& search, const std::string& path, const std::string& why,
                   const std::string& evidence, const std::string& source, FileLines& found) {
  const std::string pattern = literal_pattern(path) + "/**";
  if (path.empty() || search.workspace.look(path) != FileKind::Directory || !search.workspace.matches(pattern)) return;
  if (has_hidden_name(path)) return add_decision(read_decision(pattern), why + " (" + source + ")" + kHidden, found);
  add(read_line(pattern, why, evidence, source), found);
}

// Returns true for a path of the machine, except the directories that every sandbox has itself.
bool is_of_machine(std::string_view text) {
  if (text.size() < 2 || text.front() != '/' || text.find("//") != std::string_view::npos) return false;
  for (const std::string_view own :
       {"/work", "/tmp", "/band", "/dev", "/proc", "/etc", "/usr", "/bin", "/lib", "/sbin"})
    if (text == own || (text.starts_with(own) && text[own.size()] == '/')) return false;
  return PathPattern::parse(escaped_path(text)).ok();
}

void add_machine_path(std::string_view path, const std::string& reason, FileLines& found) {
  add_decision(read_decision(escaped_path(path)), reason + "; it is a path of the machine that runs the script", found);
}

std::vector<LogWord> each_once(std::vector<LogWord> words) {
  std::set<std::string> seen;
  std::erase_if(words, [&](const LogWord& word) { return !seen.insert(word.text).second; });
  return words;
}

bool looks_like_path(std::string_view text) {
  if (text.find('/') != std::string_view::npos) return true;
  const std::size_t dot = text.rfind('.');
  return dot != std::string_view::npos && dot > 0 && dot + 1 < text.size() && text.size() - dot <= 6;
}

// ---- the script's text ----

// Returns true for commands whose arguments are text, not files.
bool prints(std::string_view command) {
  return command == "echo" || command == "printf" || command == "read" || command == "local" || command == "export" ||
         command == "declare" || command == "readonly" || command == "trap" || command == "set";
}

std::string place_of(const ShellWord& word) { return "run.sh:" + std::to_string(word.line); }

// Adds a line for a pattern that the script's shell expands, such as `data/*.csv`.
void add_glob(const FileSearch& search, const std::string& text, const ShellWord& word, FileLines& found) {
  if (text.find_first_of("$`~{\\") != std::string::npos || text.find_first_of("*?[") == std::string::npos) return;
  if (text.starts_with('/') || text.starts_with('-')) return;
  const std::string pattern = text.starts_with("./") ? text : "./" + text;
  const auto parsed = PathPattern::parse(pattern);
  if (!parsed.ok() || parsed->absolute() || !search.workspace.matches(pattern)) return;
  const std::string why = "the script names `" + text + "`";
  if (has_hidden_name(pattern.substr(2)))
    return add_decision(read_decision(pattern), why + " (" + place_of(word) + ")" + kHidden, found);
  Line line = read_line(pattern, why, "script", place_of(word));
  const std::string name = pattern.substr(pattern.rfind('/') + 1);
  const bool is_wide = pattern.find("**") != std::string::npos || name.find_first_not_of("*?") == std::string::npos;
  if (is_wide) line.warning = "allows every file in the matching directories, with any name";
  add(std::move(line), found);
}

void add_word(const FileSearch& search, const ShellWord& word, FileLines& found) {
  if (word.literal)
    add_file(search, plain(search, word.text), "the script names it", "script", place_of(word), found);
  else
    add_glob(search, word.text, word, found);
}

// `find DIR ... -name GLOB`.
void add_find(const FileSearch& search, const ShellCommand& command, FileLines& found) {
  std::string directory = ".";
  if (command.words.size() > 1 && !command.words[1].text.starts_with('-')) {
    if (!command.words[1].literal) return;
    directory = command.words[1].text;
  }
  while (directory.size() > 1 && directory.ends_with('/')) directory.pop_back();
  const std::string below = directory == "." ? "./**/" : directory + "/**/";
  for (std::size_t i = 2; i + 1 < command.words.size(); ++i)
    if (command.words[i].text == "-name" && command.words[i + 1].literal)
      add_glob(search, below + command.words[i + 1].text, command.words[i + 1], found);
}

// ---- written files ----

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string ending_of(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? "" : name.substr(dot);
}

bool is_checkout(const std::string& path) {
  return path == ".git" || path.starts_with(".git/") || path.find("/.git/") != std::string::npos;
}

std::string group_pattern(const std::string& directory, const std::string& ending) {
  return "./" + (directory.empty() ? "" : escaped_path(directory) + "/") + "*" + escaped_path(ending);
}

// Returns the path with `*` in place of a value of the input in the file's name; "" when the name has none.
std::string pattern_with_value(const FileSearch& search, const std::string& path, std::string& property) {
  const std::string directory = directory_of(path), ending = ending_of(path);
  const std::string name = path.substr(path.rfind('/') + 1), stem = name.substr(0, name.size() - ending.size());
  for (const InputValue& value : search.values) {
    if (value.text.empty() || value.text.find('/') != std::string::npos) continue;
    const std::size_t at = stem == value.text                  ? 0
                           : value.text.size() >= kLeastInside ? stem.find(value.text)
                                                               : stem.npos;
    if (at == std::string::npos) continue;
    property = value.property;
    return "./" + (directory.empty() ? "" : escaped_path(directory) + "/") + escaped_path(stem.substr(0, at)) + "*" +
           escaped_path(stem.substr(at + value.text.size())) + escaped_path(ending);
  }
  return "";
}

// `warning`: why the pattern may open more than the files that the script wrote.
void add_written(const std::string& pattern, const std::string& path, const std::string& reason,
                 const std::string& warning, FileLines& found) {
  Line line;
  line.section = "allow";
  line.domain = "write";
  line.pattern = pattern;
  line.reason = reason;
  line.evidence = "workspace";
  line.source = "./" + path;
  line.warning = warning;
  add(std::move(line), found);
}

// Returns whether only a person decides about writing the path: a name begins with a dot, or programs execute or obey
// the file.
bool is_for_person(const std::string& path) {
  const ObeyedName* const obeyed = obeyed_name(path);
  return has_hidden_name(path) || (obeyed != nullptr && obeyed->opened_by != OpenedBy::AnyRule);
}

std::string why_for_person(const std::string& path) {
  const ObeyedName* const obeyed = obeyed_name(path);
  if (obeyed == nullptr || obeyed->opened_by == OpenedBy::AnyRule) return kHidden;
  return "; `" + std::string(obeyed->name) + "` " + std::string(obeyed->reason);
}

// A decision only: a script that writes `.env` in its copy would otherwise get the caller's `.env` in the next run.
void add_hidden_written(const FileSearch& search, const std::string& path, FileLines& found) {
  add_decision(decision_text("write", literal_pattern(path)), "the script wrote it" + why_for_person(path), found);
  if (search.workspace.look(path) == FileKind::File && !search.reads(path))
    add_decision(pair_decision(literal_pattern(path)), pair_reason(path) + kHidden, found);
}

void add_one_written(const FileSearch& search, const std::string& path, FileLines& found) {
  std::string property = property_of(search, path);
  const std::string why = "the script wrote the file that the input's `" + property + "` names";
  if (!property.empty() && !is_for_person(path)) return add_written("{" + property + "}", path, why, "", found);
  if (!property.empty() && why_for_person(path) == kHidden)
    return add_decision("write: [{path: " + escaped(json_string("{" + property + "}")) + ", dot: true}]", why + kHidden,
                        found);
  if (is_for_person(path)) return add_hidden_written(search, path, found);
  if (const std::string pattern = pattern_with_value(search, path, property); !pattern.empty())
    return add_written(pattern, path,
                       "the script wrote ./" + path + ", whose name contains " +
                           (property.empty() ? "a value of the input" : "the value of the input's `" + property + "`"),
                       pattern == group_pattern(directory_of(path), ending_of(path)) ? kWideGroup : kWideValue, found);
  add_written(literal_pattern(path), path, "the script wrote it", "", found);
}

// Adds a text about a missing file that the caller's input names.
void add_missing(const FileSearch& search, const std::string& path, FileLines& found) {
  const std::string property = property_of(search, path);
  if (!property.empty())
    found.missing.push_back("how the script works with an existing file: the input's `" + property + "` names ./" +
                            path + ", and " + search.workspace.path + " has no such file");
}

}  // namespace

std::string literal_pattern(const std::string& path) { return "./" + escaped_path(path); }

std::string pair_reason(const std::string& path) {
  return "the script writes ./" + path + ", and an existing file is replaced only when it was sent to the script";
}

std::string pair_decision(const std::string& pattern) {
  Line line;
  line.pattern = pattern;
  line.optional = true;
  return "read: [" + item_text(line) + "]";
}

void lines_of_input(const FileSearch& search, bool failed, FileLines& found) {
  for (const InputValue& value : search.values) {
    if (!value.is_text || value.property.empty() || !search.properties.contains(value.property)) continue;
    if (failed && is_of_machine(value.text))
      add_machine_path(value.text, "the input's `" + value.property + "` names it", found);
    const std::string path = plain(search, value.text);
    if (path.empty() || (!failed && !looks_like_path(value.text))) continue;
    const std::string source = value.property + ": " + value.text;
    if (search.workspace.look(path) == FileKind::File && !search.reads(path)) {
      if (search.hidden_default(value.property))
        add_file(search, path, "the default of the input's `" + value.property + "` names it", "script", source, found);
      else
        add(read_line("{" + value.property + "}", "the input's `" + value.property + "` names a file", "input", source),
            found);
    }
    if (search.workspace.look(path) != FileKind::Directory) continue;
    const std::size_t before = found.lines.size();
    add_directory(search, path, "the input's `" + value.property + "` names this directory", "input", source, found);
    if (found.lines.size() > before)
      found.unknown.push_back("which directories other values of `" + value.property + "` name: `./" + path +
                              "/**` allows the directory of this input");
  }
}

void lines_of_log(const FileSearch& search, const Evidence& evidence, FileLines& found) {
  const std::vector<LogWord> missed = each_once(missing_words(evidence.log));
  for (const LogWord& word : missed) {
    const std::string path = plain(search, word.text);
    if (!path.empty() && search.workspace.look(path) == FileKind::Missing) add_missing(search, path, found);
    add_file(search, path, "the log reports it as missing", "log", word.text, found);
    if (!path.empty() && !search.reads(path + "/x"))
      add_directory(search, path, "the log reports this directory as missing", "log", word.text, found);
  }
  for (const LogWord& word : missed)
    if (is_of_machine(word.text) && plain(search, word.text).empty())
      add_machine_path(word.text, "the log reports it as missing", found);
  for (const std::string& message : evidence.messages)
    for (const LogWord& word : each_once(words_of(message)))
      add_file(search, plain(search, word.text), "the script's error names it", "log", word.text, found);
  if (misses_repository(evidence.log) && search.workspace.look(".git") == FileKind::Directory &&
      !search.reads(".git/HEAD"))
    add_decision(read_decision("./.git/**"), "git found no repository; .git/config may contain credentials", found);
}

void lines_of_script(const FileSearch& search, const ShellReading& script, FileLines& found) {
  for (const ShellRedirection& redirection : script.redirections) {
    if (redirection.operation != "<") continue;
    const ShellWord& word = redirection.target;
    if (word.literal)
      add_file(search, plain(search, word.text), "the script reads it", "script", place_of(word), found);
    else
      add_glob(search, word.text, word, found);
  }
  for (const ShellWord& word : script.loop_words) add_word(search, word, found);
  for (const ShellCommand& command : script.commands) {
    const std::string& name = command.words.front().text;
    if (command.words.front().literal && prints(name)) continue;
    for (std::size_t i = 1; i < command.words.size(); ++i) add_word(search, command.words[i], found);
    if (name == "find") add_find(search, command, found);
  }
}

void lines_of_written(const FileSearch& search, const std::vector<std::string>& stayed, FileLines& found) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> groups;  // by directory and ending
  for (const std::string& path : stayed) {
    if (!is_safe_relative_path(path)) continue;
    if (is_checkout(path)) {
      found.unknown.push_back("what the script does in .git (`" + path + "`), which is never written back");
    } else if (search.writes(path)) {
      found.unknown.push_back("why `" + path +
                              "` was not written back although a rule allows it: it may not be a regular file");
    } else if (is_for_person(path) || ending_of(path).empty() || !property_of(search, path).empty()) {
      add_one_written(search, path, found);
    } else {
      groups[{directory_of(path), ending_of(path)}].push_back(path);
    }
  }
  for (const auto& [key, paths] : groups) {
    if (paths.size() == 1)
      add_one_written(search, paths.front(), found);
    else
      add_written(group_pattern(key.first, key.second), paths.front(),
                  "the script wrote " + std::to_string(paths.size()) + " such files", kWideGroup, found);
  }
}

std::string common_pattern(const std::string& a, const std::string& b) {
  const auto is_plain = [](const std::string& pattern) {
    const auto parsed = PathPattern::parse(pattern);
    return pattern.starts_with("./") && parsed.ok() && parsed->is_literal() &&
           pattern.find('\\') == std::string::npos && !has_hidden_name(pattern.substr(2));
  };
  if (a == b || !is_plain(a) || !is_plain(b)) return "";
  const std::string directory = directory_of(a.substr(2)), ending = ending_of(a);
  if (ending.empty() || directory != directory_of(b.substr(2)) || ending != ending_of(b)) return "";
  return group_pattern(directory, ending);
}

}  // namespace band::client::learn
