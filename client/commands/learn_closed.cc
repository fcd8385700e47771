#include "client/commands/learn_closed.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "client/answers/judgement.h"
#include "client/commands/learn_files.h"
#include "client/learn/use.h"
#include "schemas/core/join.h"
#include "schemas/core/json_text.h"
#include "schemas/pattern/pattern.h"
#include "schemas/rules/placeholders.h"

namespace band::client {
namespace {

using Outcome = Judgement::Outcome;

constexpr std::size_t kMostFiles = 200;  // files of a pattern with wildcards that are checked

// ---- the questions of a line ----

std::vector<std::string> paths_of(const learn::Line& line, const Json& input, const Tree* workspace) {
  std::vector<std::string> paths;
  for (const std::string& pattern : learn::patterns_named(line.domain, line.pattern, input)) {
    const auto parsed = PathPattern::parse(pattern);
    if (!parsed.ok() || parsed->absolute()) continue;
    if (parsed->is_literal())
      paths.push_back(parsed->literal_prefix());
    else if (line.evidence == "workspace" && line.source.starts_with("./"))
      paths.push_back(line.source.substr(2));
    else if (workspace != nullptr)
      for (std::string& path : files_of(*workspace, pattern)) paths.push_back(std::move(path));
  }
  if (paths.size() > kMostFiles) paths.clear();  // too many to check; an unchecked one may be open
  return paths;
}

std::vector<Question> questions_of(const learn::Line& line, const Json& input, const Tree* workspace) {
  std::vector<Question> questions;
  const auto add = [&](Result<Question> question) {
    if (question.ok()) questions.push_back(std::move(question).value());
  };
  if (line.domain == "cli") {
    add(ask_command(line.argv));
  } else if (line.domain == "net") {
    add(ask_net(line.pattern));
    const auto pattern = NetPattern::parse(line.pattern);
    if (pattern.ok() && !pattern->port) add(ask_net(line.pattern + ":80"));  // without a port: 443 and 80
  } else {
    for (const std::string& path : paths_of(line, input, workspace))
      add(ask_path(line.domain == "read" ? Question::Kind::Read : Question::Kind::Write, "./" + path));
  }
  return questions;
}

// ---- what closes it ----

// Grounds with only this line: a question that is refused even then is not closed by other rules.
Result<Grounds> grounds_of_line(const learn::Line& line, const JsonValue& input) {
  ComposedBand alone;
  learn::domain_of(alone.rules, line.domain).opened.push_back({{line.pattern, "", line.optional}});
  return grounds_of(alone, input, std::nullopt);
}

// A placeholder is valid for this script's input only; for another band the path itself is written.
std::string to_write(const Remedy& remedy, const learn::Line& line) {
  const bool of_file = line.domain == "read" || line.domain == "write";
  return remedy.instruction(of_file && placeholder_of(line.pattern) ? remedy.pattern : line.pattern);
}

// `refused`: why no run can start with the line.
std::string text_of(const Judgement& judgement, const std::optional<Error>& refused, const learn::Line& line,
                    const std::string& own_file) {
  std::vector<std::string> texts;
  for (const Remedy& remedy : judgement.remedies)
    if (remedy.file != own_file) texts.push_back(to_write(remedy, line));
  if (texts.empty()) texts.push_back(refused ? escaped(refused->message()) : judgement.reason);
  if (!judgement.mend.empty()) texts.push_back(judgement.mend);
  return join(texts, "; ");
}

class Judges {
 public:
  Judges(const Script& script, const BandPlace& place, const Tree* workspace, AskCeiling ask)
      : script_(script), place_(place), workspace_(workspace), ask_(std::move(ask)) {}

  std::string closed_by(const learn::Line& line, const JsonValue& input) {
    const auto draft = drafted_band(script_, place_, {line}, {});
    if (!draft.ok()) return "";
    const std::vector<Question> questions = questions_of(line, *input, workspace_);
    const auto whole = grounds_of(draft->band, input, ceiling()), alone = grounds_of_line(line, input);
    if (!whole.ok() || !alone.ok()) return "";
    std::string by;
    for (const Question& question : questions) {
      const auto own = judge(question, *alone), all = judge(question, *whole);
      if (!own.ok() || !all.ok() || own->outcome == Outcome::Refused) continue;
      if (all->outcome != Outcome::Refused) return "";  // partly open: the line is worth a run
      by = text_of(*all, whole->refused, line, place_.file);
    }
    return by;
  }

 private:
  const std::optional<Rules>& ceiling() {
    if (!std::exchange(asked_, true)) ceiling_ = ask_();
    return ceiling_;
  }

  const Script& script_;
  const BandPlace& place_;
  const Tree* workspace_;
  AskCeiling ask_;
  std::optional<Rules> ceiling_;
  bool asked_ = false;
};

}  // namespace

learn::ClosedBy closed_by(const Script& script, const BandPlace* place, const Tree* workspace,
                          const std::vector<JsonValue>& inputs, AskCeiling ceiling) {
  if (place == nullptr) return {};
  auto judges = std::make_shared<Judges>(script, *place, workspace, std::move(ceiling));
  return [judges, &inputs](const learn::Line& line, std::size_t input) {
    return judges->closed_by(line, inputs.at(input));
  };
}

}  // namespace band::client
