#include "client/hints/authored.h"

#include <algorithm>
#include <cctype>

#include "client/hints/workspace_names.h"
#include "client/learn/evidence.h"
#include "client/shell/reading.h"
#include "schemas/core/letter_case.h"
#include "schemas/core/words.h"
#include "schemas/pattern/shell_names.h"
#include "schemas/rules/named_path.h"

namespace band::client {
namespace {

constexpr std::size_t kMostFile = 256 << 10;  // bytes of a program that are searched
constexpr std::size_t kMostBytes = 4 << 20;   // all texts together
constexpr std::size_t kMostValue = 200;       // bytes; a longer value of the input is data
constexpr std::size_t kMostPrograms = 5;      // files that the code of a command starts

// Programs whose first argument is the file of a program. Not the table of programs (schemas/programs), which takes
// milliseconds to read: every successful run of `band exec` gets here.
bool is_interpreter(std::string_view name) {
  static constexpr std::string_view kNames[] = {"bun", "dash", "deno", "lua", "node", "perl", "php", "ruby"};
  return is_shell(name) || name.starts_with("python") ||
         std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// Returns the path of the file that the command runs, or "".
std::string program_path(const Failure& failure) {
  const std::size_t at = program_argument(failure);
  const auto path = at == 0 ? std::nullopt : path_for_script(failure.command[at], *failure.workspace);
  return path && failure.sent.contains(*path) ? *path : "";
}

std::string content_of(const std::string& path, const Failure& failure) {
  int err = 0;
  auto file = failure.workspace->read(failure.workspace->resolve(path).path, kMostFile, err);
  return file ? std::move(file->content) : "";
}

std::string program_of(const Failure& failure) {
  const std::string path = program_path(failure);
  return path.empty() ? "" : content_of(path, failure);
}

// The sent files that the code of `bash -c CODE` starts: `bash -c 'bash tools/go.sh | sort'`.
std::vector<std::string> programs_of_code(const Failure& failure) {
  std::vector<std::string> paths;
  const std::vector<std::string>& command = failure.command;
  if (failure.workspace == nullptr || command.size() < 3 || !is_shell(command.front()) || command[1] != "-c")
    return paths;
  for (const ShellCommand& one : read_shell(command[2]).commands) {
    const std::string& name = one.words.front().text;
    if (one.words.size() < 2 || !(is_interpreter(name) || name == "." || name == "source")) continue;
    const auto path = path_for_script(one.words[1].text, *failure.workspace);
    if (path && failure.sent.contains(*path) && paths.size() < kMostPrograms) paths.push_back(*path);
  }
  return paths;
}

// Whether the host, as a whole, follows `before`.
bool follows(std::string_view text, std::string_view before, std::string_view host) {
  for (std::size_t at = text.find(before); at != std::string_view::npos; at = text.find(before, at + 1)) {
    const std::string_view rest =
        text.substr(at + before.size(), host.size() + 2);  // two characters show where it ends
    if (rest.starts_with(host) && contains_word(rest, host, true)) return true;
  }
  return false;
}

// Endings of files that are also top-level domains.
bool may_be_file(std::string_view name) {
  static constexpr std::string_view kEndings[] = {".sh",   ".py",  ".md",  ".rs",   ".pl",   ".ps",
                                                  ".so",   ".cc",  ".zip", ".json", ".js",   ".mjs",
                                                  ".yaml", ".yml", ".txt", ".csv",  ".html", ".app"};
  return std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

}  // namespace

std::size_t program_argument(const Failure& failure) {
  if (failure.workspace == nullptr || failure.command.empty() || !is_interpreter(failure.command.front())) return 0;
  for (std::size_t i = 1; i < failure.command.size(); ++i) {
    const std::string& word = failure.command[i];
    if (word.starts_with("-c") || word.starts_with("-e") || word.starts_with("-m") || word == "-") return 0;
    if (!word.starts_with('-')) return i;
  }
  return 0;
}

std::vector<std::string> directories_of_program(const Failure& failure) {
  const std::string path = program_path(failure);
  std::vector<std::string> directories;
  if (path.empty()) return directories;
  for (std::size_t end = path.rfind('/'); end != std::string::npos;
       end = end == 0 ? std::string::npos : path.rfind('/', end - 1))
    directories.push_back(path.substr(0, end));
  directories.emplace_back();
  return directories;
}

bool is_beside_program(const std::string& path, const Failure& failure) {
  const std::vector<std::string> directories = directories_of_program(failure);
  const bool in_scripts = !directories.empty() && (directories[0] == "scripts" || directories[0].ends_with("/scripts"));
  for (std::size_t i = 0; i < (in_scripts ? 2 : 1) && i + 2 < directories.size(); ++i)
    if (const std::string start = directories[i] + "/"; path.starts_with(start))
      return !has_hidden_name(path.substr(start.size()));
  return false;
}

Authored::Authored(const Failure& failure) {
  std::size_t bytes = 0;
  const auto add = [&](std::string_view text, Kind kind, std::string_view file = "") {
    if (text.empty() || bytes + text.size() > kMostBytes) return;
    bytes += text.size();
    texts_.emplace_back(text);
    lower_.push_back(lower_case(text));
    kinds_.push_back(kind);
    files_.emplace_back(file.substr(file.rfind('/') + 1));
  };
  const auto add_file = [&](const ShippedFile& file) {
    add(std::string_view(file.content).substr(0, kMostFile), file.path.ends_with(".sh") ? Kind::Shell : Kind::Other,
        file.path);
  };
  const Script& script = failure.script;
  const std::vector<std::string>& command = failure.command;
  if (failure.reader != Reader::CommandLine) add(script.source, Kind::Shell);
  for (std::size_t i = 0; i < command.size(); ++i) {
    const bool code = i > 1 && (command[i - 1] == "-c" || command[i - 1] == "-e") && is_interpreter(command.front());
    add(command[i], !code ? Kind::Argument : is_shell(command.front()) ? Kind::Shell : Kind::Other);
  }
  for (const learn::InputValue& value : learn::values_of(*failure.given))
    if (value.is_text && value.text.size() <= kMostValue && value.text.find('\n') == std::string::npos)
      add(value.text, Kind::Input);
  for (const ShippedFile& file : script.lib) add_file(file);
  for (const ShippedFile& file : script.skill_files)
    if (file.path.starts_with("scripts/")) add_file(file);
  const bool shell = !command.empty() && is_shell(command.front());
  for (const std::string& path : programs_of_code(failure))
    add(content_of(path, failure), path.ends_with(".sh") ? Kind::Shell : Kind::Other);
  add(program_of(failure), shell || program_path(failure).ends_with(".sh") ? Kind::Shell : Kind::Other);
}

bool Authored::contains(std::string_view text) const {
  return std::any_of(texts_.begin(), texts_.end(),
                     [&](const std::string& one) { return one.find(text) != std::string::npos; });
}

bool Authored::names_program(std::string_view name) const {
  return std::any_of(texts_.begin(), texts_.end(), [&](const std::string& text) { return contains_word(text, name); });
}

bool Authored::names_path(std::string_view path) const {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; };
  // `process.env`, `env().x` and `env[0].x` do not name a path.
  const auto continues = [&](char c) { return is_part(c) || c == ')' || c == ']'; };
  for (const std::string& text : texts_)
    for (std::size_t at = text.find(path); at != std::string::npos; at = text.find(path, at + 1)) {
      const std::size_t end = at + path.size();
      // `${1:-.data/x}`
      const bool after_default = at > 1 && text[at - 1] == '-' && text[at - 2] == ':';
      if ((at == 0 || after_default || !continues(text[at - 1])) && (end == text.size() || !is_part(text[end])))
        return true;
    }
  return false;
}

bool Authored::names_host(std::string_view name) const {
  const std::string host = lower_case(name);
  for (std::size_t i = 0; i < lower_.size(); ++i) {
    const std::string& text = lower_[i];
    for (const char* before : {"://", "@", "/dev/tcp/"})
      if (follows(text, before, host)) return true;
    for (const char* quote : {"\"", "'"})
      if (band::contains(text, quote + host + quote)) return true;
    if (kinds_[i] != Kind::Other && !may_be_file(host) && contains_word(text, host, true)) return true;
  }
  return false;
}

}  // namespace band::client
