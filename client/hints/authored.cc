#include "client/hints/authored.h"

#include <algorithm>
#include <cctype>

#include "client/hints/workspace_names.h"
#include "client/learn/evidence.h"
#include "schemas/core/words.h"

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

// The content of the first file that the command names: `t.py` of `python3 t.py in.csv`.
std::string program_of(const Failure& failure) {
  if (failure.workspace == nullptr) return "";
  for (std::size_t i = 1; i < failure.command.size(); ++i) {
    const auto path = path_for_script(failure.command[i], *failure.workspace);
    if (!path || !failure.sent.contains(*path)) continue;
    int err = 0;
    auto file = failure.workspace->read(failure.workspace->resolve(*path).path, kMostFile, err);
    return file ? std::move(file->content) : "";
  }
  return "";
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
  const auto add = [&](std::string_view text) {
    if (text.empty() || bytes + text.size() > kMostBytes) return;
    bytes += text.size();
    texts_.emplace_back(text);
    lower_.push_back(lower(text));
  };
  const Script& script = failure.script;
  if (failure.reader != Reader::CommandLine) add(script.source);
  for (const std::string& word : failure.command) add(word);
  for (const learn::InputValue& value : learn::values_of(*failure.given))
    if (value.is_text && value.text.size() <= kMostValue && value.text.find('\n') == std::string::npos) add(value.text);
  for (const ShippedFile& file : script.lib) add(std::string_view(file.content).substr(0, kMostFile));
  for (const ShippedFile& file : script.skill_files)
    if (file.path.starts_with("scripts/")) add(std::string_view(file.content).substr(0, kMostFile));
  add(program_of(failure));
}

bool Authored::contains(std::string_view text) const {
  return std::any_of(texts_.begin(), texts_.end(),
                     [&](const std::string& one) { return one.find(text) != std::string::npos; });
}

bool Authored::names_program(std::string_view name) const {
  return std::any_of(texts_.begin(), texts_.end(), [&](const std::string& text) { return contains_word(text, name); });
}

bool Authored::names_variable(std::string_view name) const { return names_program(name); }

bool Authored::names_host(std::string_view name) const {
  const std::string host = lower(name), in_url = "://" + host;
  return std::any_of(lower_.begin(), lower_.end(), [&](const std::string& text) {
    return contains_word(text, may_be_file(host) ? in_url : host, true);
  });
}

}  // namespace band::client
