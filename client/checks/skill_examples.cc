#include "client/checks/skill_examples.h"

#include <algorithm>
#include <optional>

#include "client/checks/given_input.h"
#include "client/shell/reading.h"
#include "client/skills/parameters.h"
#include "client/terminal/command_line.h"
#include "client/terminal/nearest.h"
#include "schemas/core/json_text.h"

namespace band::client {
namespace {

// Limits, because each example is compared with a whole schema, which may be untrusted and large.
constexpr std::size_t kMaxExamples = 200, kMaxErrors = 20, kMaxOutputLines = 100;

// One example: the words after `band`, and their position.
struct Example {
  std::vector<std::string> words;
  int line = 0, column = 0, name_column = 0;
  std::size_t next = 0;  // the line after it
  bool alone = true;     // without pipe or redirection: the script writes the output shown
};

bool leaves_out(std::string_view text) {
  return text.find("...") != std::string_view::npos || text.find("\u2026") != std::string_view::npos;
}

bool is_placeholder(const std::string& word) {
  const std::string value = word.starts_with("--") ? word.substr(std::min(word.find('='), word.size())) : word;
  const std::size_t letter = value.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  const bool capitals = letter != std::string::npos && value.size() - letter > 1 &&
                        value.find_first_not_of("=ABCDEFGHIJKLMNOPQRSTUVWXYZ_-|") == std::string::npos;
  return capitals || leaves_out(word) || word == "-" || word.starts_with('@');
}

std::optional<Example> example_at(const std::vector<MarkdownLine>& lines, std::size_t at) {
  const std::string_view text = lines[at].text;
  const std::size_t begin = command_at(text);
  if (!text.substr(begin).starts_with("band call ") && !text.substr(begin).starts_with("band run "))
    return std::nullopt;
  Example example{.words = {}, .line = lines[at].line, .column = static_cast<int>(begin) + 1, .next = at + 1};
  std::string whole(text.substr(begin));
  while (whole.ends_with('\\') && example.next < lines.size() && lines[example.next].block == lines[at].block)
    whole.append("\n").append(lines[example.next++].text);
  const ShellReading reading = read_shell(whole);
  if (reading.commands.empty() || reading.commands.front().words.size() < 3) return std::nullopt;
  const ShellCommand& command = reading.commands.front();
  if (command.words.front().text != "band") return std::nullopt;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    if (!command.words[i].literal) return std::nullopt;
    example.words.push_back(command.words[i].text);
  }
  if (!reading.redirections.empty()) return std::nullopt;  // `<NAME>` parses as a redirection
  example.name_column = example.column + command.words[2].column - 1;
  example.alone = reading.commands.size() == 1;
  return example;
}

// Returns the JSON that begins on line `at` of a block; nothing if there is none or it is incomplete.
std::optional<std::string> output_at(const std::vector<MarkdownLine>& lines, std::size_t at, int block) {
  std::string text;
  const std::size_t stop = std::min(lines.size(), at + kMaxOutputLines);
  for (std::size_t i = at; i < stop && lines[i].block == block; ++i) {
    const std::string_view line = lines[i].text;
    const std::size_t begin = line.find_first_not_of(" \t");
    if (text.empty() && (begin == std::string_view::npos || (line[begin] != '{' && line[begin] != '['))) break;
    text.append(line).append("\n");
    if (leaves_out(text)) return std::nullopt;
    if (is_json(text)) return text;
  }
  return std::nullopt;
}

class Examples {
 public:
  Examples(const std::string& skill, const std::vector<MarkdownLine>& lines, const std::vector<LoadedScript>& scripts,
           const std::vector<std::string>& names, GivenInputs& inputs, std::vector<Diagnostic>& errors)
      : skill_(skill),
        file_(skill + "/SKILL.md"),
        lines_(lines),
        scripts_(scripts),
        names_(names),
        inputs_(inputs),
        errors_(errors) {}

  void check() {
    std::size_t count = 0;
    const std::size_t most = errors_.size() + kMaxErrors;
    for (std::size_t at = 0; at < lines_.size() && count < kMaxExamples && errors_.size() < most; ++at) {
      if (lines_[at].block == 0) continue;
      const auto example = example_at(lines_, at);
      if (!example) continue;
      ++count;
      check(*example, lines_[at].block);
    }
  }

 private:
  void check(const Example& example, int block) {
    const std::string& name = example.words[1];
    if (!name.starts_with(skill_ + "/")) return;
    const std::string script = name.substr(skill_.size() + 1);
    if (is_placeholder(script)) return;
    if (std::find(names_.begin(), names_.end(), script) == names_.end()) {
      errors_.push_back({file_, example.line, example.name_column, "the skill has no script `" + escaped(script) + "`",
                         did_you_mean(script, names_, "", "write the name of one of its scripts")});
      return;
    }
    const auto found = std::find_if(scripts_.begin(), scripts_.end(), [&](const LoadedScript& candidate) {
      return candidate.script.place.script == script;
    });
    if (found == scripts_.end()) return;  // its errors were already reported
    if (std::any_of(example.words.begin() + 2, example.words.end(), is_placeholder)) return;
    const auto line = parse_command_line(example.words);
    if (line.ok() && line->help) return;
    check(example, block, *found, line);
  }

  // A call that cannot be compared with a schema already has an error of the schema or of the band.
  void check(const Example& example, int block, const LoadedScript& loaded, const Result<CommandLine>& line) {
    const Script& script = loaded.script;
    std::optional<Error> error;
    const std::string place = file_ + ":" + std::to_string(example.line);
    if (!line.ok())
      error = line.error();
    else if (loaded.has_input)
      error = inputs_.refusal(script, {line->input, line->parameters, line->verb}, place);
    if (error)
      errors_.push_back(misfit(file_, example.line, example.column,
                               "the example does not fit " + schema_of(script, "input"), error->message(),
                               error->hint));
    else if (example.alone && !line->json && !line->dry_run && loaded.has_output)
      check_output(script, example, block);
  }

  void check_output(const Script& script, const Example& example, int block) {
    if (!script.output) return;
    const auto text = output_at(lines_, example.next, block);
    if (!text) return;
    const std::string why = output_misfit(script, *text);
    if (why.empty()) return;
    const MarkdownLine& line = lines_[example.next];
    errors_.push_back(misfit(file_, line.line, static_cast<int>(line.text.find_first_not_of(" \t")) + 1,
                             "the output does not fit " + schema_of(script, "output"), why,
                             "write the complete output that the script returns"));
  }

  const std::string& skill_;
  const std::string file_;
  const std::vector<MarkdownLine>& lines_;
  const std::vector<LoadedScript>& scripts_;
  const std::vector<std::string>& names_;
  GivenInputs& inputs_;
  std::vector<Diagnostic>& errors_;
};

}  // namespace

void check_examples(const std::string& skill, const std::vector<MarkdownLine>& lines,
                    const std::vector<LoadedScript>& scripts, const std::vector<std::string>& names,
                    GivenInputs& inputs, std::vector<Diagnostic>& errors) {
  Examples(skill, lines, scripts, names, inputs, errors).check();
}

}  // namespace band::client
