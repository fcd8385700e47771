#include "client/shell/started.h"

#include <algorithm>

#include "client/shell/find_actions.h"

namespace band::client {
namespace {

constexpr int kMaxWrappers = 10;  // in front of one program; each costs a copy of the words behind it

bool is_option(const ShellWord& word) { return word.text.size() > 1 && word.text.front() == '-'; }

// {} as a name is that of a file which find or xargs comes upon.
bool is_made_up(const std::string& name, std::string_view replaced) {
  return !replaced.empty() && name.find(replaced) != std::string::npos;
}

void add_found(std::vector<StartedProgram>& programs) {
  const StartedProgram find = programs.back();
  FindActions actions = find_actions(find.words);
  programs.back().unread = std::move(actions.unread);
  const std::size_t self = programs.size() - 1;
  for (const auto& words : actions.commands) {
    if (is_made_up(words.front().text, "{}"))
      programs[self].unread = words.front().text;
    else if (words.front().literal)
      programs.push_back({{words.begin(), words.end()}, false, "", find.path});
  }
}

}  // namespace

std::vector<StartedProgram> started_programs(const ShellCommand& command, SearchPath path) {
  std::vector<StartedProgram> programs;
  std::span<const ShellWord> words = command.words;
  bool whole = true;
  for (int wrappers = 0; !words.empty() && words.front().literal && wrappers <= kMaxWrappers; ++wrappers) {
    programs.push_back({{words.begin(), words.end()}, whole, "", path});
    const std::string name = words.front().text.substr(words.front().text.rfind('/') + 1);  // of /usr/bin/env, too
    if (name == "find") add_found(programs);
    if (!is_wrapper(name)) break;
    const Wrapped inner = wrapped(name, words);
    if (inner.kind == Wrapped::Kind::Unread) programs.back().unread = inner.unread;
    if (inner.kind != Wrapped::Kind::Program) break;
    words = words.subspan(inner.at);
    if (is_made_up(words.front().text, inner.replaced)) {
      programs.back().unread = words.front().text;
      break;
    }
    whole = whole && !inner.appends;
    if (inner.path != SearchPath::Kept) path = inner.path;
  }
  return programs;
}

std::vector<ShellWord> operands_of(std::span<const ShellWord> words, std::string_view taking,
                                   std::initializer_list<std::string_view> long_taking) {
  std::vector<ShellWord> operands;
  bool options = true;
  for (std::size_t at = 1; at < words.size(); ++at) {
    const std::string& text = words[at].text;
    if (!options || !is_option(words[at])) {
      operands.push_back(words[at]);
    } else if (text == "--") {
      options = false;
    } else if (text.starts_with("--")) {
      if (std::find(long_taking.begin(), long_taking.end(), std::string_view(text)) != long_taking.end()) ++at;
    } else {
      const std::size_t option = text.find_first_of(taking, 1);
      if (option != std::string::npos && option + 1 == text.size()) ++at;
    }
  }
  return operands;
}

}  // namespace band::client
