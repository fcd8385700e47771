#include "client/checks/script_calls.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#include "client/shell/reading.h"
#include "client/shell/started.h"
#include "schemas/core/json_text.h"

namespace band::client {
namespace {

constexpr std::size_t kMaxNotes = 100, kMaxShown = 100;

struct Interpreter {
  std::string_view name;
  std::string_view taking;  // letters of options whose value is the next word
  std::string_view code;    // letters of options that replace the script
};
constexpr Interpreter kInterpreters[] = {{"bash", "oO", "c"},  {"sh", "o", "c"},   {"python", "WX", "cm"},
                                         {"node", "rC", "ep"}, {"ruby", "I", "e"}, {"perl", "I", "eE"}};

// Also matches a name with a version: python3.11.
const Interpreter* find_interpreter(std::string_view word) {
  const std::string_view name = word.substr(word.rfind('/') + 1);
  const auto is_it = [&](const Interpreter& interpreter) {
    return name.starts_with(interpreter.name) &&
           name.substr(interpreter.name.size()).find_first_not_of("0123456789.") == std::string_view::npos;
  };
  const auto* const found = std::find_if(std::begin(kInterpreters), std::end(kInterpreters), is_it);
  return found == std::end(kInterpreters) ? nullptr : found;
}

// Returns the file operand of an interpreter, after its options. `words` begins with the interpreter's name.
std::optional<std::string_view> operand_of(const Interpreter& interpreter, std::span<const ShellWord> words) {
  for (std::size_t at = 1; at < words.size(); ++at) {
    const std::string_view word = words[at].text;
    if (word.size() < 2 || word.front() != '-') return word;
    if (word.starts_with("--")) continue;
    if (word.find_first_of(interpreter.code, 1) != std::string_view::npos) return std::nullopt;
    if (interpreter.taking.find(word.back()) != std::string_view::npos) ++at;
  }
  return std::nullopt;
}

// Returns "go.py" for scripts/go.py, ./scripts/go.py, skills/demo/scripts/go.py and $DIR/scripts/go.py. "": the path is
// not one of a script of the skill.
std::string_view below_scripts(std::string_view path, std::string_view skill) {
  constexpr std::string_view kScripts = "scripts/";
  for (std::size_t at = path.find(kScripts); at != std::string_view::npos; at = path.find(kScripts, at + 1)) {
    std::string_view before = path.substr(0, at);
    if (!before.empty() && !before.ends_with('/')) continue;
    if (!before.empty()) before.remove_suffix(1);
    const std::string_view directory = before.substr(before.rfind('/') + 1);
    const bool ours = before.empty() || before == "." || directory == skill ||
                      directory.find_first_of("$`{") != std::string_view::npos;
    if (ours) return path.substr(at + kScripts.size());
  }
  return "";
}

// Returns the path of a script of the skill that a command starts, or "".
std::string_view path_called_by(std::span<const ShellWord> words, const std::string& skill) {
  const std::string_view name = words.front().text;
  std::optional<std::string_view> path;
  if (const Interpreter* interpreter = find_interpreter(name))
    path = operand_of(*interpreter, words);
  else if ((name == "." || name == "source") && words.size() > 1)
    path = words[1].text;
  else if (name.starts_with("./"))  // others may be names in a list of files
    path = name;
  return path && !below_scripts(*path, skill).empty() ? *path : std::string_view();
}

class Calls {
 public:
  Calls(const std::string& skill, const std::vector<std::string>& names, std::vector<Diagnostic>& notes)
      : skill_(skill), names_(names), notes_(notes) {}

  void look_at(const std::vector<MarkdownLine>& lines) {
    for (std::size_t at = 0; at < lines.size() && count_ < kMaxNotes;) {
      const int block = lines[at].block;
      std::size_t end = at + 1;
      while (block > 0 && end < lines.size() && lines[end].block == block) ++end;
      const std::span part = std::span(lines).subspan(at, end - at);
      if (block == 0)
        prose(part.front());
      else if (std::any_of(part.begin(), part.end(), has_prompt))
        session(part);
      else
        code(joined(part), part.front().line);
      at = end;
    }
  }

 private:
  static bool has_prompt(const MarkdownLine& line) {
    return line.text.substr(command_at(line.text)) != bare(line.text);
  }
  static std::string_view bare(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
  }

  static std::string joined(std::span<const MarkdownLine> lines) {
    std::string text;
    for (const MarkdownLine& line : lines) text.append(line.text).append("\n");
    return text;
  }

  // Commands after prompts; the other lines are their output.
  void session(std::span<const MarkdownLine> lines) {
    for (std::size_t at = 0; at < lines.size(); ++at) {
      if (!has_prompt(lines[at])) continue;
      const int line = lines[at].line;
      std::string text(lines[at].text.substr(command_at(lines[at].text)));
      while (text.ends_with('\\') && at + 1 < lines.size()) text.append("\n").append(lines[++at].text);
      code(text, line);
    }
  }

  void code(const std::string& text, int first_line) {
    for (const ShellCommand& command : read_shell(text).commands) {
      const int line = first_line + command.words.front().line - 1;
      add(path_called_by(command.words, skill_), line);
      for (const StartedProgram& program : started_programs(command)) add(path_called_by(program.words, skill_), line);
    }
  }

  // Text between backquotes is code. Outside, an interpreter followed by a script is a call, too.
  void prose(const MarkdownLine& line) {
    std::string_view rest = line.text;
    while (!rest.empty()) {
      const std::size_t open = std::min(rest.find('`'), rest.size());
      sentence(rest.substr(0, open), line.line);
      rest.remove_prefix(open);
      const std::size_t ticks = std::min(rest.find_first_not_of('`'), rest.size());
      const std::size_t close = ticks == 0 ? 0 : rest.find(rest.substr(0, ticks), ticks);
      if (close == std::string_view::npos) return;  // unbalanced backquotes
      code(std::string(rest.substr(ticks, close - ticks)), line.line);
      rest.remove_prefix(std::min(close + ticks, rest.size()));
    }
  }

  void sentence(std::string_view text, int line) {
    constexpr std::string_view kBreaks = " \t\"'()|;&,";
    std::vector<ShellWord> words;
    for (std::size_t at = text.find_first_not_of(kBreaks); at < text.size(); at = text.find_first_not_of(kBreaks, at)) {
      const std::size_t end = std::min(text.find_first_of(kBreaks, at), text.size());
      std::string_view word = text.substr(at, end - at);
      while (word.size() > 1 && std::string_view(".:!?*").find(word.back()) != std::string_view::npos)
        word.remove_suffix(1);
      words.push_back({.text = std::string(word)});
      at = end;
    }
    for (std::size_t at = 0; at < words.size(); ++at)
      if (find_interpreter(words[at].text) != nullptr) add(path_called_by(std::span(words).subspan(at), skill_), line);
  }

  // Adds at most one note for a line.
  void add(std::string_view path, int line) {
    if (path.empty() || line == last_line_ || ++count_ > kMaxNotes) return;
    last_line_ = line;
    const std::string_view below = below_scripts(path, skill_);
    const std::string_view first = below.substr(0, below.find('/'));
    // The name "plot" for scripts/plot.py and for scripts/plot/run.sh.
    const std::string name(first.size() == below.size() ? first.substr(0, first.rfind('.')) : first);
    const bool is_known = std::find(names_.begin(), names_.end(), name) != names_.end();
    notes_.push_back({skill_ + "/SKILL.md", line, 0,
                      "starts " + escaped(path.substr(0, kMaxShown)) + " without band: no rule applies to that run",
                      "write band call " + skill_ + "/" + (is_known ? name : "SCRIPT")});
  }

  const std::string& skill_;
  const std::vector<std::string>& names_;
  std::vector<Diagnostic>& notes_;
  std::size_t count_ = 0;
  int last_line_ = 0;
};

}  // namespace

void note_script_calls(const std::string& skill, const std::vector<MarkdownLine>& lines,
                       const std::vector<std::string>& names, std::vector<Diagnostic>& notes) {
  Calls(skill, names, notes).look_at(lines);
}

}  // namespace band::client
