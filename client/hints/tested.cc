#include "client/hints/tested.h"

#include <algorithm>
#include <cctype>

#include "schemas/core/lines.h"
#include "schemas/core/words.h"

namespace band::client {
namespace {

constexpr std::size_t kMostPath = 200, kMostName = 64;  // bytes
constexpr std::size_t kMostNames = 20;                  // variables that are searched in a text

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

// Returns the text without lines that are comments.
std::string without_comments(std::string_view text) {
  std::string code;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos || line[begin] == '#' || line.substr(begin).starts_with("//")) continue;
    code.append(line).append("\n");
  }
  return code;
}

// Whether the program lists a directory, and takes the current one if it is not given another.
bool lists_directory(std::string_view text) {
  static constexpr std::string_view kAlways[] = {"find . ",    "listdir(\".\")", "listdir('.')",  "listdir()",
                                                 "walk(\".\"", "walk('.'",       "cwd().iterdir", "scandir(\".\")"};
  static constexpr std::string_view kLists[] = {"find \"$",    ".glob(",   ".rglob(",  "os.walk(",
                                                "os.listdir(", "iterdir(", "scandir(", "readdirSync("};
  static constexpr std::string_view kHere[] = {":-.}", "default=\".\"", "default='.'", "cwd()"};
  const auto has = [&](std::string_view part) { return contains(text, part); };
  return std::any_of(std::begin(kAlways), std::end(kAlways), has) ||
         (std::any_of(std::begin(kLists), std::end(kLists), has) &&
          std::any_of(std::begin(kHere), std::end(kHere), has));
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
                                                "${PWD//",
                                                "basename \"$(git rev-parse --show-toplevel",
                                                ".resolve().name",
                                                "basename(os.getcwd())",
                                                "Path.cwd().name",
                                                "basename(process.cwd())"};
  return std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view name) { return contains(text, name); });
}

// `ROOT=$(pwd); basename "$ROOT"`
bool names_directory_by_variable(std::string_view text) {
  const auto is_part = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  std::set<std::string> names;
  for (std::string_view line : lines_of(text)) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    const std::size_t equals = line.find('=');
    if (equals == 0 || equals > kMostName || names.size() >= kMostNames ||
        !std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(equals), is_part))
      continue;
    const std::string_view value = line.substr(equals + 1);
    if (!contains(value, "pwd)") && !contains(value, "$PWD") && !contains(value, "show-toplevel")) continue;
    names.emplace(line.substr(0, equals));
  }
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return contains(text, "basename \"$" + name + "\"") || contains(text, "basename $" + name) ||
           contains(text, "${" + name + "##*/}");
  });
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
  for (const std::size_t i : used_programs(authored)) {
    const std::string& text = authored.texts()[i];
    if (authored.kind(i) == Authored::Kind::Shell)
      find_tests_of_shell(text, tested);
    else
      find_tests_of_code(text, tested);
    const std::string code = without_comments(text);
    read_home_paths(code, tested);
    tested.lists_directory = tested.lists_directory || lists_directory(code);
    tested.names_directory = tested.names_directory || names_directory(code) || names_directory_by_variable(code);
  }
  return tested;
}

bool has_test(std::string_view text) {
  static constexpr std::string_view kMarks[] = {
      " -e ",   " -f ",  " -d ", " -r ", " -s ",       " -x ",  "command -v", "which",   "hash ",  "xists",   "isfile(",
      "isdir(", "Path(", ":-",   "}-",   "cwd()",      "$PWD",  "{PWD",       "pwd",     "getenv", "environ", "process",
      "join(",  "home",  "HOME", "~/",   "subprocess", "proc/", "etc/",       "listdir", "walk(",  "glob"};
  return std::any_of(std::begin(kMarks), std::end(kMarks), [&](std::string_view mark) { return contains(text, mark); });
}

}  // namespace band::client
