#include "client/hints/authored.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "client/hints/workspace_names.h"
#include "schemas/core/json.h"

namespace band::client {
namespace {

constexpr std::size_t kMostFile = 256 << 10;  // bytes of a file of the workspace that is searched
constexpr std::size_t kMostFiles = 20;

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

// Characters of names of hosts and programs.
bool continues_a_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; }

bool contains_name(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !continues_a_name(text[at - 1]);
    const bool ends = end == text.size() || !continues_a_name(text[end]);
    if (begins && ends) return true;
  }
  return false;
}

void add_named_files(const Failure& failure, std::vector<std::string>& texts) {
  if (failure.workspace == nullptr) return;
  std::size_t files = 0;
  for (const std::string& word : failure.command) {
    const auto path = path_for_script(word, *failure.workspace);
    if (!path || !failure.sent.contains(*path) || ++files > kMostFiles) continue;
    int err = 0;
    const Tree::Found found = failure.workspace->resolve(*path);
    if (auto file = failure.workspace->read(found.path, kMostFile, err)) texts.push_back(std::move(file->content));
  }
}

}  // namespace

std::vector<std::string> authored_texts(const Failure& failure) {
  const Script& script = failure.script;
  std::vector<std::string> texts;
  if (failure.reader != Reader::CommandLine) texts = {script.source, dump_json(*failure.given)};
  for (const std::string& word : failure.command) texts.push_back(word);
  for (const auto* files : {&script.lib, &script.skill_files})
    for (const ShippedFile& file : *files) texts.push_back(file.content);
  add_named_files(failure, texts);
  return texts;
}

bool is_authored(std::string_view name, const Failure& failure) {
  if (name.empty()) return false;
  const std::string wanted = lower(name);
  const std::vector<std::string> texts = authored_texts(failure);
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return contains_name(lower(text), wanted); });
}

}  // namespace band::client
