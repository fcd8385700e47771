// What a shell text tests.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>

#include "client/hints/tested.h"
#include "client/shell/reading.h"
#include "schemas/core/lines.h"
#include "schemas/core/words.h"

namespace band::client {
namespace {

constexpr std::size_t kMostWords = 20'000;              // words that are examined
constexpr int kMostNested = 4;                          // defaults within defaults
constexpr std::size_t kMostArray = 4096;                // bytes
constexpr std::size_t kMostGiven = 40;                  // words that are put in place of a variable
constexpr std::size_t kMostName = 64, kMostPath = 200;  // bytes of a variable's name, and of a path

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kMostName &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

// Returns the end of the expansion with which `word` begins: "$1", "${ROOT}", "$(pwd)"; npos if it has no end.
std::size_t end_of_expansion(std::string_view word) {
  const bool braces = word.starts_with("${");
  if (!braces && !word.starts_with("$(")) {
    const auto is_part = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    return 1 + static_cast<std::size_t>(std::find_if_not(word.begin() + 1, word.end(), is_part) - word.begin() - 1);
  }
  std::size_t depth = 0;
  for (std::size_t at = 1; at < word.size(); ++at) {
    if (word[at] == (braces ? '{' : '(')) ++depth;
    if (word[at] == (braces ? '}' : ')') && --depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

// A path as the text shows it.
struct Shown {
  std::string text;
  bool whole = false;  // false: `text` is the end of a path whose beginning is computed
  bool own = false;    // the beginning is computed from `$0` or BASH_SOURCE
};
using Values = std::map<std::string, Shown>;

bool is_literal(std::string_view text) {
  return text.size() <= kMostPath && text.find_first_of("$`*?[(") == std::string_view::npos;
}

bool is_own(std::string_view expansion) {
  return contains(expansion, "$0") || contains(expansion, "${0") || contains(expansion, "BASH_SOURCE");
}

// "data/c.json" for `$WS/data/c.json`: whole after WS=".", and for `${WS:-.}/data/c.json`.
std::optional<Shown> shown(std::string_view word, const Values& values, int depth = 0) {
  for (const std::string_view here : {"$PWD/", "${PWD}/", "./"})
    if (word.starts_with(here)) word.remove_prefix(here.size());
  Shown result{"", true, false};
  if (word.starts_with('$')) {
    const std::size_t end = end_of_expansion(word);
    if (end == std::string_view::npos) return std::nullopt;
    const bool braces = word.starts_with("${");
    const std::string_view inside = word.starts_with("$(") ? "" : word.substr(braces ? 2 : 1, end - (braces ? 3 : 1));
    const std::size_t fallback = inside.find(":-");
    const auto value = values.find(std::string(inside.substr(0, fallback)));
    if (fallback != std::string_view::npos && depth < kMostNested) {  // ${A:-${1:-$PWD/x}}
      auto nested = shown(inside.substr(fallback + 2), values, depth + 1);
      if (!nested) return std::nullopt;
      result = std::move(*nested);
    } else if (value != values.end())
      result = value->second;
    else
      result = {"", false, is_own(word.substr(0, end))};
    word.remove_prefix(end);
    if (!word.empty() && word.front() != '/') return std::nullopt;
    if (!result.whole && result.text.empty() && word.starts_with('/')) word.remove_prefix(1);
  }
  if (!is_literal(word) || result.text.size() > kMostPath) return std::nullopt;
  result.text += word;
  if (result.text.starts_with("./") && result.text.size() > 2) result.text.erase(0, 2);
  return result;
}

// Returns the value that begins at `text`, up to the closing quote or the first of `ends`.
std::string_view value_at(std::string_view text, const char* ends = " \t;") {
  const char quote = text.empty() ? '\0' : text.front();
  const bool quoted = quote == '"' || quote == '\'';
  if (quoted) text.remove_prefix(1);
  std::size_t from = 0;
  if (quote != '\'' && text.starts_with("$(")) from = std::min(end_of_expansion(text), text.size());
  return text.substr(0, text.find_first_of(quoted ? std::string(1, quote) : ends, from));
}

// Returns what lines of a shell text assign: NAME=text; NAME=text. The first one of a name counts. Of a name that the
// script computes ("$DIR/$(date +%F).md"), the directory counts.
Values assignments(std::string_view text) {
  Values values;
  for (std::string_view line : lines_of(text))
    for (bool more = true; more && values.size() < kMostTested;) {
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
      for (const std::string_view word : {"local ", "readonly ", "export "})
        if (line.starts_with(word)) line.remove_prefix(word.size());
      const std::size_t equals = line.find('=');
      if (equals == std::string_view::npos || !is_name(line.substr(0, equals))) break;
      const std::string name(line.substr(0, equals));
      line.remove_prefix(equals + 1);
      const std::string_view value = value_at(line);
      const bool quoted = line.starts_with('"') || line.starts_with('\'');
      line.remove_prefix(std::min(value.size() + (quoted ? 2 : 0), line.size()));
      more = line.starts_with(';');
      if (more) line.remove_prefix(1);
      if (value.empty() || value.starts_with('(')) continue;
      auto known = shown(value, values);
      if (!known) known = shown(value.substr(0, value.find("/$", 1)), values);
      if (known) values.emplace(name, std::move(*known));
    }
  return values;
}

// Returns the literal elements of the arrays of the text: `CANDIDATES=(tools "other")`.
std::vector<std::string> elements_of_arrays(std::string_view text) {
  std::vector<std::string> elements;
  std::size_t examined = 0;
  for (std::size_t at = text.find("=("); at != std::string_view::npos; at = text.find("=(", at)) {
    const bool array = at > 0 && is_name(text.substr(at - 1, 1));
    at += 2;
    if (!array) continue;
    std::string_view list = text.substr(at, kMostArray);
    list = list.substr(0, list.find(')'));
    at += list.size();
    while (elements.size() < kMostGiven) {
      if (++examined > kMostWords) return elements;
      list.remove_prefix(std::min(list.find_first_not_of(" \t\n"), list.size()));
      if (list.empty()) break;
      const std::string_view element = value_at(list, " \t\n;");
      if (is_literal(element)) elements.emplace_back(element);
      list.remove_prefix(std::min(element.size() + (list.front() == '"' || list.front() == '\'' ? 2 : 0), list.size()));
      if (element.empty() && !list.empty()) list.remove_prefix(1);
    }
  }
  return elements;
}

class ShellTests {
 public:
  ShellTests(std::string_view text, Tested& tested) : values_(assignments(text)), tested_(tested) {
    const ShellReading reading = read_shell(text);
    for (const ShellWord& word : reading.loop_words) loop(word);
    for (std::string& element : elements_of_arrays(text)) give(std::move(element));
    for (const ShellCommand& command : reading.commands)
      if (reading.functions.contains(command.words.front().text))
        for (std::size_t i = 1; i < command.words.size(); ++i)
          if (command.words[i].literal) give(command.words[i].text);
    files(reading.conditions);
    for (const ShellCommand& command : reading.commands) {
      const std::string& name = command.words.front().text;
      if (name == "[" || name == "test") files(command.words);
      program(command.words);
    }
    std::set<std::string> seen;
    for (const ShellVariable& variable : reading.uses)
      // `${NAME:+x}` is not a default.
      if (variable.has_default && seen.size() < kMostTested && seen.insert(variable.name).second &&
          (contains(text, "{" + variable.name + ":-") || contains(text, "{" + variable.name + "-")))
        add(tested.variables, variable.name);
  }

 private:
  static void add(std::set<std::string>& names, const std::string& name) {
    if (!name.empty() && names.size() < kMostTested) names.insert(name);
  }
  void give(std::string word) {
    if (given_.size() >= kMostGiven || word.size() > kMostPath || word.starts_with('-')) return;
    if (word.find('.', 1) != std::string::npos && is_literal(word)) add(tested_.mentioned, word);
    given_.push_back(std::move(word));
  }

  void files(const std::vector<ShellWord>& words) {
    static constexpr std::array kTests = {"-e", "-f", "-d", "-r", "-s", "-x"};
    for (std::size_t i = 0; i + 1 < words.size() && ++examined_ <= kMostWords; ++i) {
      if (std::find(kTests.begin(), kTests.end(), words[i].text) == kTests.end()) continue;
      path(words[i + 1].text, words[i].text == "-x");
    }
  }

  void path(const std::string& word, bool executable) {
    auto known = shown(word, values_);
    if (executable) add(tested_.executables, known ? known->text : word.substr(word.rfind('/') + 1));
    // "$DIR/$(date +%F).md": its directory.
    if (!known && word.find('/') != std::string::npos) known = shown(word.substr(0, word.find("/$", 1)), values_);
    if (!known) return;
    if (known->whole) {
      add(tested_.paths, known->text);
      return;
    }
    add(known->own ? tested_.beside : tested_.composed, known->text);
    if (known->own) return;
    // `[ -f "$1/SKILL.md" ]`: with each literal argument of the text's own functions, and each word of its loops.
    for (const std::string& start : given_)
      if (++examined_ > kMostWords)
        return;
      else if (const auto path = shown(known->text.empty() ? start : start + "/" + known->text, values_))
        add(tested_.paths, path->text);
  }

  // "skills" of `for d in skills/*` and of `for d in "$SRC"/*` after SRC=skills.
  void loop(const ShellWord& word) {
    if (++examined_ > kMostWords) return;
    const std::size_t glob = word.text.find_first_of("*?[");
    if (glob == std::string::npos) {
      if (word.literal) give(word.text);
      return;
    }
    const std::size_t slash = word.text.rfind('/', glob);
    if (slash == std::string::npos) return;
    if (const auto path = shown(word.text.substr(0, slash), values_); path && path->whole)
      add(tested_.looped, path->text);
  }

  void program(const std::vector<ShellWord>& words) {
    const std::string& name = words.front().text;
    const std::size_t at = name == "command" && words.size() > 2 && words[1].text == "-v" ? 2 : 1;
    if ((at != 2 && name != "which" && name != "hash") || at >= words.size()) return;
    if (words[at].literal) return add(tested_.programs, words[at].text);
    for (const std::string& given : given_)
      add(tested_.programs, given.substr(0, given.find(' ')));  // `check "gh auth"` for `command -v "${1%% *}"`
  }

  const Values values_;
  std::vector<std::string> given_;
  Tested& tested_;
  std::size_t examined_ = 0;
};

}  // namespace

void find_tests_of_shell(std::string_view text, Tested& tested) { ShellTests(text, tested); }

}  // namespace band::client
