#include "client/shell/builtins.h"

#include <cctype>
#include <initializer_list>

namespace band::client {
namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  for (const std::string_view candidate : words)
    if (candidate == word) return true;
  return false;
}

// Returns the operands after the options. Options with a letter in `taking` have a value: the rest of the word, or the
// next word. The values of the option `wanted` are appended to `values`.
std::vector<std::string> operands(const std::vector<ShellWord>& words, std::string_view taking, char wanted = 0,
                                  std::vector<std::string>* values = nullptr) {
  std::vector<std::string> found;
  std::size_t at = 1;
  for (; at < words.size(); ++at) {
    const std::string& word = words[at].text;
    if (word == "--") {
      ++at;
      break;
    }
    if (word.size() < 2 || word.front() != '-') break;
    const std::size_t option = word.find_first_of(taking, 1);
    if (option == std::string::npos) continue;
    const bool is_wanted = values != nullptr && word[option] == wanted;
    if (option + 1 < word.size()) {
      if (is_wanted) values->push_back(word.substr(option + 1));
    } else if (++at < words.size() && is_wanted) {
      values->push_back(words[at].text);
    }
  }
  for (; at < words.size(); ++at) found.push_back(words[at].text);
  return found;
}

std::vector<std::string> given_by_declaration(const std::vector<ShellWord>& words, bool without_value) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i].text;
    const std::string_view name = variable_name(word);
    if (name.empty()) continue;
    const bool ends = name.size() == word.size();
    const char next = ends ? '\0' : word[name.size()];
    if (ends ? without_value : next == '=' || next == '+' || next == '[') names.emplace_back(name);
  }
  return names;
}

}  // namespace

std::string_view variable_name(std::string_view text) {
  std::size_t size = 0;
  for (; size < text.size(); ++size) {
    const auto c = static_cast<unsigned char>(text[size]);
    if (c != '_' && (c > 127 || !(size == 0 ? std::isalpha(c) : std::isalnum(c)))) break;
  }
  return text.substr(0, size);
}

AssignmentHead assignment_head(std::string_view text) {
  AssignmentHead head{variable_name(text)};
  std::size_t size = head.name.size();
  if (size == 0) return {};
  if (size < text.size() && text[size] == '[') {
    head.has_subscript = true;
    int open = 0;
    do {
      if (text[size] == '\n') return {};
      open += text[size] == '[' ? 1 : text[size] == ']' ? -1 : 0;
    } while (++size < text.size() && open > 0);
    if (open > 0) return {};
  }
  const std::string_view rest = text.substr(size);
  head.size = rest.starts_with("+=") ? size + 2 : rest.starts_with("=") ? size + 1 : 0;
  return head.size == 0 ? AssignmentHead{} : head;
}

std::vector<ShellWord> without_prefixes(const std::vector<ShellWord>& words) {
  std::size_t at = 0;
  while (at + 1 < words.size() && is_one_of(words[at].text, {"command", "builtin"})) {
    ++at;
    if (words[at].text == "-v" || words[at].text == "-V") return words;  // a query of a name
    while (at + 1 < words.size() && is_one_of(words[at].text, {"-p", "--"})) ++at;
  }
  return {words.begin() + static_cast<std::ptrdiff_t>(at), words.end()};
}

std::vector<std::string> names_given(const std::vector<ShellWord>& words) {
  if (words.empty()) return {};
  const std::string& command = words.front().text;
  std::vector<std::string> names, values;
  if (is_one_of(command, {"declare", "typeset", "local"})) {
    names = given_by_declaration(words, true);
  } else if (is_one_of(command, {"export", "readonly"})) {
    names = given_by_declaration(words, false);
  } else if (command == "read") {
    names = operands(words, "adinNptu", 'a', &values);
    if (names.empty() && values.empty()) names.emplace_back("REPLY");
  } else if (command == "mapfile" || command == "readarray") {
    names = operands(words, "dnOsuCc");
    if (names.empty()) names.emplace_back("MAPFILE");
  } else if (command == "printf") {
    operands(words, "v", 'v', &values);
  } else if (command == "wait") {
    operands(words, "p", 'p', &values);
  } else if (command == "getopts" && words.size() > 2) {
    names.push_back(words[2].text);
  } else if (command == "let") {
    for (std::size_t i = 1; i < words.size(); ++i) names.push_back(words[i].text);
  }
  names.insert(names.end(), values.begin(), values.end());
  std::vector<std::string> found;
  for (const std::string& name : names)
    if (const std::string_view given = variable_name(name); !given.empty()) found.emplace_back(given);
  return found;
}

}  // namespace band::client
