#include "client/shell/started.h"

#include <algorithm>

namespace band::client {
namespace {

// Programs that start another one, which stands behind their options and `operands` of their own.
struct Wrapper {
  std::string_view name, taking;
  std::size_t operands = 0;
  bool appends = false;
};
constexpr Wrapper kWrappers[] = {{"exec", "a"},  {"command", ""},   {"nice", "n"},
                                 {"nohup", ""},  {"stdbuf", "ioe"}, {"timeout", "ks", 1},
                                 {"env", "uCS"}, {"time", "fo"},    {"xargs", "adEILnPs", 0, true}};

constexpr int kMaxWrappers = 10;  // in front of one program; each costs a copy of the words behind it

bool is_option(const ShellWord& word) { return word.text.size() > 1 && word.text.front() == '-'; }

// The index behind the options of words[0].
std::size_t behind_options(std::span<const ShellWord> words, std::string_view taking) {
  std::size_t at = 1;
  while (at < words.size() && is_option(words[at])) {
    const std::string& text = words[at++].text;
    if (text == "--") break;
    if (text.starts_with("--")) continue;
    const std::size_t option = text.find_first_of(taking, 1);
    if (option != std::string::npos && option + 1 == text.size()) ++at;
  }
  return std::min(at, words.size());
}

bool is_assignment(const std::string& text) {
  const std::size_t equals = text.find('=');
  return equals != std::string::npos && equals > 0 && text.find_first_of("/ ") > equals;
}

void add_found(std::span<const ShellWord> words, std::vector<StartedProgram>& programs) {
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const std::string& text = words[i].text;
    if (text != "-exec" && text != "-execdir" && text != "-ok" && text != "-okdir") continue;
    std::size_t end = i + 1;
    while (end < words.size() && words[end].text != ";" && words[end].text != "+") ++end;
    if (end > i + 1 && words[i + 1].literal)
      programs.push_back(
          {{words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.begin() + static_cast<std::ptrdiff_t>(end)},
           false});
    i = end;
  }
}

}  // namespace

std::vector<StartedProgram> started_programs(const ShellCommand& command) {
  std::vector<StartedProgram> programs;
  std::span<const ShellWord> words = command.words;
  bool whole = true;
  for (int wrappers = 0; !words.empty() && words.front().literal && wrappers <= kMaxWrappers; ++wrappers) {
    programs.push_back({{words.begin(), words.end()}, whole});
    const std::string name = words.front().text.substr(words.front().text.rfind('/') + 1);  // of /usr/bin/env, too
    if (name == "find") add_found(words, programs);
    const auto wrapper =
        std::find_if(std::begin(kWrappers), std::end(kWrappers), [&](const Wrapper& w) { return w.name == name; });
    if (wrapper == std::end(kWrappers)) break;
    if (name == "command" && words.size() > 1 && (words[1].text == "-v" || words[1].text == "-V")) break;
    std::size_t next = behind_options(words, wrapper->taking) + wrapper->operands;
    while (name == "env" && next < words.size() && is_assignment(words[next].text)) ++next;
    if (next >= words.size()) break;
    whole = whole && !wrapper->appends;
    words = words.subspan(next);
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
