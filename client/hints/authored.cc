#include "client/hints/authored.h"

#include <algorithm>
#include <cctype>

#include "client/hints/workspace_names.h"
#include "client/learn/evidence.h"
#include "schemas/core/words.h"
#include "schemas/programs/programs.h"

namespace band::client {
namespace {

constexpr std::size_t kMostFile = 256 << 10;  // bytes of a program that are searched
constexpr std::size_t kMostBytes = 4 << 20;   // all texts together
constexpr std::size_t kMostValue = 200;       // bytes; a longer value of the input is data

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

bool is_interpreter(const std::string& name) {
  const ProgramNeeds* known = built_in_programs().find(name);
  return name == "bash" || name == "sh" || (known != nullptr && known->interpreter);
}

// Returns the path of the file that the command runs: the first argument of an interpreter, unless this gets its
// program by an option such as `-c`. "" if there is none.
std::string program_path(const Failure& failure) {
  if (failure.workspace == nullptr || failure.command.empty() || !is_interpreter(failure.command.front())) return "";
  for (std::size_t i = 1; i < failure.command.size(); ++i) {
    const std::string& word = failure.command[i];
    if (word.starts_with("-c") || word.starts_with("-e") || word.starts_with("-m") || word == "-") return "";
    if (word.starts_with('-')) continue;
    const auto path = path_for_script(word, *failure.workspace);
    return path && failure.sent.contains(*path) ? *path : "";
  }
  return "";
}

std::string program_of(const Failure& failure) {
  const std::string path = program_path(failure);
  if (path.empty()) return "";
  int err = 0;
  auto file = failure.workspace->read(failure.workspace->resolve(path).path, kMostFile, err);
  return file ? std::move(file->content) : "";
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
  static constexpr std::string_view kEndings[] = {".sh", ".py", ".md", ".rs",  ".pl",
                                                  ".ps", ".so", ".cc", ".zip", ".app"};
  return std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

}  // namespace

Authored::Authored(const Failure& failure) {
  std::size_t bytes = 0;
  const auto add = [&](std::string_view text, bool plain) {
    if (text.empty() || bytes + text.size() > kMostBytes) return;
    bytes += text.size();
    texts_.emplace_back(text);
    lower_.push_back(lower(text));
    plain_.push_back(plain);
  };
  const auto add_file = [&](const ShippedFile& file) {
    add(std::string_view(file.content).substr(0, kMostFile), file.path.ends_with(".sh"));
  };
  const Script& script = failure.script;
  if (failure.reader != Reader::CommandLine) add(script.source, true);
  for (const std::string& word : failure.command) add(word, true);
  for (const learn::InputValue& value : learn::values_of(*failure.given))
    if (value.is_text && value.text.size() <= kMostValue && value.text.find('\n') == std::string::npos)
      add(value.text, true);
  for (const ShippedFile& file : script.lib) add_file(file);
  for (const ShippedFile& file : script.skill_files)
    if (file.path.starts_with("scripts/")) add_file(file);
  add(program_of(failure), program_path(failure).ends_with(".sh"));
}

bool Authored::contains(std::string_view text) const {
  return std::any_of(texts_.begin(), texts_.end(),
                     [&](const std::string& one) { return one.find(text) != std::string::npos; });
}

bool Authored::names_program(std::string_view name) const {
  return std::any_of(texts_.begin(), texts_.end(), [&](const std::string& text) { return contains_word(text, name); });
}

bool Authored::names_path(std::string_view path) const {
  const auto continues = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || band::contains("_-)]", std::string_view(&c, 1));
  };
  for (const std::string& text : texts_)
    for (std::size_t at = text.find(path); at != std::string::npos; at = text.find(path, at + 1)) {
      const std::size_t end = at + path.size();
      if ((at == 0 || !continues(text[at - 1])) && (end == text.size() || !continues(text[end]))) return true;
    }
  return false;
}

bool Authored::names_host(std::string_view name) const {
  const std::string host = lower(name);
  for (std::size_t i = 0; i < lower_.size(); ++i) {
    const std::string& text = lower_[i];
    for (const char* before : {"://", "@", "/dev/tcp/"})
      if (follows(text, before, host)) return true;
    for (const char* quote : {"\"", "'"})
      if (band::contains(text, quote + host + quote)) return true;
    if (plain_[i] && !may_be_file(host) && contains_word(text, host, true)) return true;
  }
  return false;
}

}  // namespace band::client
