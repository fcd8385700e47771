#include "client/checks/script_calls.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "schemas/core/json_text.h"

namespace band::client {
namespace {

constexpr std::string_view kInterpreters[] = {"bash", "sh", "python", "python3", "node", "ruby", "perl"};
constexpr std::string_view kBreaks = " \t`\"'()|;&";
constexpr std::size_t kMaxNotes = 100, kMaxShown = 100;

bool is_interpreter(std::string_view word) {
  return std::find(std::begin(kInterpreters), std::end(kInterpreters), word) != std::end(kInterpreters);
}

// The path behind an interpreter's name, or one that begins with `./`, which only a call does. "": there is none.
std::string_view called_path(std::string_view line) {
  std::string_view before;
  for (std::size_t at = line.find_first_not_of(kBreaks); at < line.size(); at = line.find_first_not_of(kBreaks, at)) {
    const std::size_t end = std::min(line.find_first_of(kBreaks, at), line.size());
    const std::string_view word = line.substr(at, end - at);
    if (word.starts_with("./scripts/") || (word.starts_with("scripts/") && is_interpreter(before))) return word;
    before = word;
    at = end;
  }
  return "";
}

// "plot" of scripts/plot.py and of scripts/plot/run.sh.
std::string script_of(std::string_view path) {
  path.remove_prefix(path.find("scripts/") + std::string_view("scripts/").size());
  const std::string_view name = path.substr(0, path.find('/'));
  return std::string(name.substr(0, name.size() == path.size() ? name.rfind('.') : name.size()));
}

}  // namespace

void note_script_calls(const std::string& skill, const std::vector<MarkdownLine>& lines,
                       const std::vector<std::string>& names, std::vector<Diagnostic>& notes) {
  std::size_t count = 0;
  for (const MarkdownLine& line : lines) {
    const std::string_view path = called_path(line.text);
    if (path.empty()) continue;
    if (++count > kMaxNotes) return;
    const std::string name = script_of(path);
    const bool is_known = std::find(names.begin(), names.end(), name) != names.end();
    notes.push_back({skill + "/SKILL.md", line.line, 0,
                     "starts " + escaped(path.substr(0, kMaxShown)) + " outside of band: no rule holds for that run",
                     "write band run " + skill + "/" + (is_known ? name : "SCRIPT")});
  }
}

}  // namespace band::client
