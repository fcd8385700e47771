#include "client/hints/tested.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "client/shell/reading.h"
#include "schemas/core/lines.h"
#include "schemas/core/words.h"

namespace band::client {
namespace {

// For all programs together: names that are looked up, and words that are examined.
constexpr std::size_t kMostTested = 100, kMostWords = 20'000;
constexpr std::size_t kMostLooped = 20;                 // words of loops that are put in place of the loop's variable
constexpr std::size_t kMostName = 64, kMostPath = 200;  // bytes of a variable's name, and of a path

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kMostName &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

// Returns the text of a word that begins with a variable: "data/c.json" for `$WS/data/c.json` after WS=".", and for
// `${WS:-.}/data/c.json`. Returns "" if the word has another expansion, or the variable is not known.
std::string expanded(std::string_view word, const std::map<std::string, std::string>& values) {
  for (const std::string_view here : {"$PWD/", "${PWD}/", "./"})
    if (word.starts_with(here)) word.remove_prefix(here.size());
  std::string start;
  if (word.starts_with('$')) {
    const bool braces = word.starts_with("${");
    word.remove_prefix(braces ? 2 : 1);
    const std::size_t end = braces ? word.find('}') : std::min(word.find('/'), word.size());
    if (end == std::string_view::npos) return "";
    const std::string_view name = word.substr(0, end);
    const std::size_t fallback = name.find(":-");
    if (fallback != std::string_view::npos) {
      start = name.substr(fallback + 2);
    } else {
      const auto value = values.find(std::string(name));
      if (value == values.end()) return "";
      start = value->second;
    }
    word.remove_prefix(std::min(end + (braces ? 1 : 0), word.size()));
    if (!word.empty() && word.front() != '/') return "";
  }
  const std::string text = start + std::string(word);
  if (text.find_first_of("$`*?[(") != std::string::npos || text.size() > kMostPath) return "";
  return text.starts_with("./") && text.size() > 2 ? text.substr(2) : text;
}

// Returns the literal texts that lines of a shell text assign: NAME=text. The first one of a name counts.
std::map<std::string, std::string> assignments(std::string_view text) {
  std::map<std::string, std::string> values;
  for (std::string_view line : lines_of(text)) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.starts_with("local ")) line.remove_prefix(6);
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || !is_name(line.substr(0, equals)) || values.size() >= kMostTested) continue;
    std::string_view value = line.substr(equals + 1);
    const char quote = value.empty() ? '\0' : value.front();
    const bool quoted = quote == '"' || quote == '\'';
    if (quoted) value.remove_prefix(1);
    value = value.substr(0, value.find_first_of(quoted ? std::string(1, quote) : " \t;"));
    if (value.size() > kMostPath) continue;
    if (std::string known = expanded(value, values); !known.empty())
      values.emplace(line.substr(0, equals), std::move(known));
  }
  return values;
}

// Finds in one shell text what it tests.
class ShellTests {
 public:
  ShellTests(const std::string& text, Tested& tested, std::size_t& examined)
      : values_(assignments(text)), tested_(tested), examined_(examined) {
    const ShellReading reading = read_shell(text);
    for (const ShellWord& word : reading.loop_words) loop(word);
    files(reading.conditions);
    for (const ShellCommand& command : reading.commands) {
      const std::string& name = command.words.front().text;
      if (name == "[" || name == "test") files(command.words);
      program(command.words);
    }
    for (const ShellVariable& variable : reading.uses)
      if (variable.has_default && tested.variables.size() < kMostTested) tested.variables.insert(variable.name);
  }

 private:
  void files(const std::vector<ShellWord>& words) {
    static constexpr std::array kTests = {"-e", "-f", "-d", "-r", "-s", "-x"};
    for (std::size_t i = 0; i + 1 < words.size() && ++examined_ <= kMostWords; ++i) {
      if (std::find(kTests.begin(), kTests.end(), words[i].text) == kTests.end()) continue;
      path(words[i + 1].text, words[i].text == "-x");
    }
  }

  // `[ -f "$c/SKILL.md" ]` in `for c in ".claude/skills/x"; do`: with each word of the loops.
  void path(const std::string& word, bool executable) {
    const auto add = [&](const std::string& path) {
      if (path.empty() || tested_.paths.size() >= kMostTested) return;
      tested_.paths.insert(path);
      if (executable) tested_.executables.insert(path);
    };
    if (executable && word.starts_with('$') && tested_.executables.size() < kMostTested)
      tested_.executables.insert(word.substr(word.rfind('/') + 1));
    const std::string known = expanded(word, values_);
    if (!known.empty() || !word.starts_with('$')) return add(known);
    const std::size_t slash = word.find('/');
    if (slash == std::string::npos) return;
    for (const std::string& start : looped_) add(expanded(start + word.substr(slash), values_));
  }

  // "skills" of `for d in skills/*` and of `for d in "$SRC"/*` after SRC=skills.
  void loop(const ShellWord& word) {
    if (++examined_ > kMostWords) return;
    const std::size_t glob = word.text.find_first_of("*?[");
    if (glob == std::string::npos) {
      if (word.literal && looped_.size() < kMostLooped) looped_.push_back(word.text);
      return;
    }
    const std::string before = word.text.substr(0, glob);
    const std::size_t slash = before.rfind('/');
    if (slash == std::string::npos) return;
    if (std::string path = expanded(before.substr(0, slash), values_);
        !path.empty() && tested_.looped.size() < kMostTested)
      tested_.looped.insert(std::move(path));
  }

  void program(const std::vector<ShellWord>& words) {
    const std::string& name = words.front().text;
    const std::size_t at = name == "command" && words.size() > 2 && words[1].text == "-v" ? 2 : 1;
    if (at != 2 && name != "which" && name != "hash") return;
    if (at < words.size() && words[at].literal && tested_.programs.size() < kMostTested)
      tested_.programs.insert(words[at].text);
  }

  const std::map<std::string, std::string> values_;
  std::vector<std::string> looped_;  // literal words of `for NAME in`
  Tested& tested_;
  std::size_t& examined_;
};

// The literal argument of calls of Python and JavaScript that test for a file: `os.path.exists("conf/app.json")`.
void read_other_text(std::string_view text, Tested& tested) {
  static constexpr std::string_view kCalls[] = {"exists(", "isfile(", "isdir(", "existsSync(", "Path(", "which("};
  for (const std::string_view call : kCalls)
    for (std::size_t at = text.find(call); at != std::string_view::npos && tested.paths.size() < kMostTested;
         at = text.find(call, at + 1)) {
      std::string_view value = text.substr(at + call.size(), kMostPath + 2);
      if (value.size() < 2 || (value.front() != '"' && value.front() != '\'')) continue;
      const char quote = value.front();
      value = value.substr(1, value.find(quote, 1) - 1);
      if (value.empty() || value.size() > kMostPath || value.find('\n') != std::string_view::npos) continue;
      (call == "which(" ? tested.programs : tested.paths).insert(std::string(value));
    }
}

// Paths in the home directory: "~/.tool/x", "$HOME/.tool/x", process.env.HOME + "/.tool/x".
void read_home_paths(std::string_view text, Tested& tested) {
  static constexpr std::string_view kHomes[] = {"~/", "$HOME/", "${HOME}/", "HOME+\"/", "HOME + \"/", "HOME + '/"};
  const auto is_part = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-' || c == '/';
  };
  for (const std::string_view home : kHomes)
    for (std::size_t at = text.find(home); at != std::string_view::npos && tested.of_home.size() < kMostTested;
         at = text.find(home, at + 1)) {
      const std::string_view rest = text.substr(at + home.size(), kMostPath);
      const auto end = std::find_if_not(rest.begin(), rest.end(), is_part);
      std::string path(rest.begin(), end);
      while (path.ends_with('/') || path.ends_with('.')) path.pop_back();
      if (!path.empty() && !contains(path, "..")) tested.of_home.insert(std::move(path));
    }
}

// Whether the program lists a directory, and takes the current one if it is not given another.
bool lists_directory(std::string_view text) {
  static constexpr std::string_view kLists[] = {"find ",       ".glob(",   ".rglob(",  "os.walk(",
                                                "os.listdir(", "iterdir(", "scandir(", "readdirSync("};
  static constexpr std::string_view kHere[] = {":-.}",        "find .", "default=\".\"",
                                               "default='.'", "cwd()",  "os.walk(\".\")"};
  const auto has = [&](std::string_view part) { return contains(text, part); };
  return std::any_of(std::begin(kLists), std::end(kLists), has) && std::any_of(std::begin(kHere), std::end(kHere), has);
}

// Whether the program uses the last component of the current directory's path, for example as a project's name.
bool names_directory(std::string_view text) {
  static constexpr std::string_view kNames[] = {"basename \"$PWD\"",
                                                "basename $PWD",
                                                "basename \"${PWD}\"",
                                                "basename \"$(pwd)\"",
                                                "basename $(pwd)",
                                                "basename `pwd`",
                                                "${PWD##*/}",
                                                "basename(os.getcwd())",
                                                "Path.cwd().name",
                                                "Path().resolve().name",
                                                "Path('.').resolve().name",
                                                "Path(\".\").resolve().name",
                                                "basename(process.cwd())"};
  return std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view name) { return contains(text, name); });
}

// The texts of programs that the run can have used: the script, and files whose names it, or one of these files, has.
// The other scripts of a skill have their files in the same directory. Not the values of the input, and no other
// arguments of the command: they can be data.
std::vector<std::size_t> used_programs(const Authored& authored) {
  std::vector<std::size_t> used, others;
  for (std::size_t i = 0; i < authored.texts().size(); ++i)
    if (authored.kind(i) == Authored::Kind::Shell || authored.kind(i) == Authored::Kind::Other)
      (authored.file(i).empty() ? used : others).push_back(i);
  for (std::size_t next = 0; next < used.size(); ++next) {
    const std::string& text = authored.texts()[used[next]];
    const auto named = std::stable_partition(others.begin(), others.end(), [&](std::size_t i) {
      const std::string& file = authored.file(i);
      return !contains(text, file.substr(0, file.rfind('.')));
    });
    used.insert(used.end(), named, others.end());
    others.erase(named, others.end());
  }
  return used;
}

}  // namespace

Tested tested_by(const Authored& authored) {
  Tested tested;
  std::size_t examined = 0;
  for (const std::size_t i : used_programs(authored)) {
    const std::string& text = authored.texts()[i];
    if (authored.kind(i) == Authored::Kind::Shell)
      ShellTests(text, tested, examined);
    else
      read_other_text(text, tested);
    read_home_paths(text, tested);
    tested.lists_directory = tested.lists_directory || lists_directory(text);
    tested.names_directory = tested.names_directory || names_directory(text);
  }
  return tested;
}

bool has_test(std::string_view text) {
  static constexpr std::string_view kMarks[] = {" -e ",  " -f ",  " -d ",  " -r ",    " -s ",   " -x ",  "command -v",
                                                "which", "hash ", "xists", "isfile(", "isdir(", "Path(", ":-",
                                                "}-",    "cwd()", "$PWD",  "{PWD",    "pwd"};
  return std::any_of(std::begin(kMarks), std::end(kMarks), [&](std::string_view mark) { return contains(text, mark); });
}

}  // namespace band::client
