#include "client/commands/run_hints.h"

#include <algorithm>

#include "client/commands/call_workspace.h"
#include "client/hints/hints.h"
#include "client/hints/unnoticed.h"
#include "client/hints/workspace_names.h"
#include "client/host/environment.h"
#include "client/learn/evidence.h"
#include "client/logs/reading.h"
#include "client/targets/targets.h"
#include "client/terminal/terminal.h"
#include "schemas/core/lines.h"
#include "schemas/core/words.h"
#include "schemas/wire/masked.h"

namespace band::client {
namespace {

// Returns whether the run can have failed because of something that a hint can name. Other errors have hints of their
// own, such as those of a sandbox that cannot be made, or of a write-back.
bool can_have_hints(const Answer& answer) {
  const Code code = answer.error->code;
  if (code == Code::InsistNotSatisfied || code == Code::Timeout || code == Code::OutputInvalid) return true;
  return (code == Code::ScriptFailed || code == Code::PermissionDenied) && answer.exit_status.value_or(0) != 0;
}

// A hint that the script has written (error.json) can have several lines; band prints it as one.
std::string one_line(const std::string& hint) {
  std::string text;
  for (const std::string_view line : lines_of(hint)) text += (text.empty() ? "" : "; ") + std::string(line);
  return text;
}

// Returns whether the server has derived the hint from the status, the log or a refusal. The client also has the
// workspace and the skill.
bool is_general(const Error& error) { return error.details.find("\"hintFrom\"") != std::string::npos; }

Reader reader_of(const RunPlan& plan) {
  if (!plan.command.empty()) return Reader::CommandLine;
  return plan.by_call ? Reader::Agent : Reader::Author;
}

bool names_path(const Rules& rules, const std::string& value) {
  for (const Domain* domain : {&rules.read, &rules.write})
    for (const RuleSet& layer : domain->opened)
      for (const Rule& rule : layer)
        if (rule.pattern.find(value) != std::string::npos) return true;
  return false;
}

// For a message in which the server has masked a text that the caller has written, such as a path that is also a
// variable's value. Variables whose value is part of a path of the rules are named alone.
std::string hint_of_masks(const RunPlan& plan, const Error& error) {
  if (error.message().find(kMasked) == std::string::npos && error.hint.find(kMasked) == std::string::npos) return "";
  std::vector<std::string> names, paths;
  for (const auto& [name, value] : plan.env.secrets) {
    names.push_back(name);
    if (!value.empty() && names_path(plan.script.band.rules, value)) paths.push_back(name);
  }
  if (names.empty()) return "";
  const std::vector<std::string>& shown = paths.empty() ? names : paths;
  return "`" + std::string(kMasked) + "` stands for the value of " + (shown.size() == 1 ? "" : "one of ") +
         listed(shown);
}

// The directory that is the workspace, or would be it. `band call` accepts fewer directories.
std::optional<Tree> directory_here(const RunPlan& plan) {
  if (plan.by_call) {
    auto here = Tree::open(".");
    if (!here.ok() || !check_call_workspace(*here).ok()) return std::nullopt;
  }
  auto here = open_workspace(std::nullopt);
  if (!here.ok()) return std::nullopt;
  return std::move(here).value();
}

// The facts of a run; `here` is used if the plan has no workspace.
Failure facts_of(const RunPlan& plan, const Shipment& shipment, const Answer& answer, const std::optional<Tree>& here) {
  const auto target = load_target(plan.target);
  Failure failure{
      .reader = reader_of(plan),
      .script = plan.script,
      .input = plan.input,
      .given = plan.given,
      .command = plan.command,
      .workspace = plan.workspace ? &*plan.workspace
                   : here         ? &*here
                                  : nullptr,
      .sent = {},
      .written = {},
      .left_out = plan.shipment.left_out,
      .has_standard_input = plan.standard_input,
      .runs_here = kind_of(plan.target) == kLocal && target.ok() && target->ssh.empty(),
      .home = home_directory(),
      .has_variable = [](const std::string& name) { return !environment(name.c_str()).value_or("").empty(); },
      .answer = answer,
      .log = log_of(answer)};
  // A variable of `band exec --env` is a secret unless a band declares something else.
  for (const auto* values : {&plan.env.env, &plan.env.secrets})
    for (const auto& [name, value] : *values)
      if (!is_credential_name(name) && (values == &plan.env.env || !plan.command.empty()))
        failure.variables.emplace(name, value);
  for (const auto& [path, hash] : shipment.sent) failure.sent.insert(path);
  failure.left_out.insert(failure.left_out.end(), shipment.left_out.begin(), shipment.left_out.end());
  return failure;
}

// Whether a value of the input names a file that was not sent, or a directory. Few runs have such a value. A successful
// run does not wait until all facts are collected: they include the texts of the skill and the rules.
bool names_unsent(const RunPlan& plan, const Shipment& shipment, const Tree& workspace) {
  const auto values = learn::values_of(plan.input, plan.given);
  return std::any_of(values.begin(), values.end(), [&](const learn::InputValue& value) {
    const auto path = value.is_text ? path_for_script(value.text, workspace) : std::nullopt;
    if (!path || shipment.sent.contains(*path)) return false;
    if (path->empty()) return shipment.sent.empty();
    const Tree::Kind kind = workspace.resolve(*path).kind;
    return kind == Tree::Kind::File || kind == Tree::Kind::Directory;
  });
}

// Returns a clearly larger value of a limit, but at most its maximum, as a band writes it. Returns "" if the limit has
// its maximum.
std::string larger(const EffectiveLimits& limits, const LimitKey& key) {
  constexpr std::int64_t kMinute = 60'000, kMiB = 1 << 20;
  const bool time = key.kind == LimitKey::Kind::Duration;
  const std::int64_t factor = time ? 10 : key.kind == LimitKey::Kind::Bytes ? 8 : 4, least = time ? kMinute : 1;
  const std::int64_t now = limits.*key.effective, value = std::min(std::max(now * factor, least), key.most);
  if (value <= now) return "";  // it has its maximum
  if (time && value % kMinute == 0) return std::to_string(value / kMinute) + "m";
  if (key.kind == LimitKey::Kind::Bytes && value % kMiB == 0) return std::to_string(value / kMiB) + "m";
  return std::to_string(value);
}

std::string limit_line(Reader reader, const std::string& file, const std::string& name, const std::string& value) {
  if (reader == Reader::CommandLine) return "add `--limit " + name + "=" + value + "`";
  return (reader == Reader::Agent ? "ask your user to raise limit." : "raise limit.") + name + " in " +
         printable_line(file) + ", as in `limit: {" + name + ": " + value + "}`";
}

// The server's hints about refusals name a rule of a band.
std::string with_flags(const RunPlan& plan, std::string hint) {
  if (reader_of(plan) != Reader::CommandLine) return hint;
  for (const std::string_view rule : {"name the host in allow.net", "allow the host in the band"})
    if (hint.starts_with(rule)) return hint.replace(0, rule.size(), "add `--net HOST` for the host that it needs");
  return hint;
}

// "apt-get install X": only the operator of the server can do that, on the server's machine.
std::string with_operator(const std::string& target, const std::string& hint) {
  if (!hint.starts_with("apt-get install ")) return hint;
  const auto loaded = load_target(target);
  return loaded.ok() && loaded->by_login ? "ask the operator of the server to run there: " + hint : hint;
}

}  // namespace

std::string with_limit_line(std::string hint, Reader reader, const std::string& file, const EffectiveLimits& limits) {
  constexpr std::string_view kRaise = "raise limit.";
  const std::size_t at = hint.find(kRaise);
  if (at == std::string::npos) return hint;
  std::size_t end = std::string::npos;
  for (const std::string_view place : {" in the band", " in BAND.md"})
    if (const std::size_t found = hint.find(place, at); found != std::string::npos && end == std::string::npos)
      end = found + place.size();
  if (end == std::string::npos) return hint;
  const std::string_view words = std::string_view(hint).substr(at, end - at);
  std::string lines;
  for (const LimitKey& key : kLimitKeys) {
    if (!contains_word(words, std::string("limit.") + key.name)) continue;
    const std::string value = larger(limits, key);
    lines += (lines.empty() ? "" : " and ") + (value.empty() ? std::string("limit.") + key.name + " has its maximum"
                                                             : limit_line(reader, file, key.name, value));
  }
  return lines.empty() ? hint : hint.replace(at, end - at, lines);
}

void print_run_error(Terminal& terminal, const Error& error) {
  Error message = error;
  message.hint.clear();
  terminal.error(message);
  terminal.hint(error.hint);
}

struct RunAdvice::Facts {
  Facts(const RunPlan& plan, const Shipment& shipment, const Answer& answer)
      : here(plan.workspace ? std::nullopt : directory_here(plan)),
        run(facts_of(plan, shipment, answer, here)),
        advice(run) {}

  const std::optional<Tree> here;
  Failure run;
  Advice advice;
};

RunAdvice::RunAdvice(const RunPlan& plan, const Shipment& shipment, const Answer& answer)
    : plan_(plan), shipment_(shipment), answer_(answer) {}
RunAdvice::~RunAdvice() = default;

RunAdvice::Facts& RunAdvice::facts() {
  if (!facts_) facts_ = std::make_unique<Facts>(plan_, shipment_, answer_);
  return *facts_;
}

std::vector<std::string> RunAdvice::allowing(const std::vector<std::string_view>& refusals) {
  return facts().advice.allowing(refusals);
}

std::vector<std::string> RunAdvice::unnoticed(const std::optional<WriteBack>& back, std::size_t most) {
  if (!facts_ && !may_be_unnoticed(plan_.script, plan_.command, answer_)) {
    const std::optional<Tree> here = plan_.workspace ? std::nullopt : directory_here(plan_);
    const Tree* const workspace = plan_.workspace ? &*plan_.workspace : here ? &*here : nullptr;
    if (workspace == nullptr || !names_unsent(plan_, shipment_, *workspace)) return {};
  }
  if (back) facts().run.written.insert(back->written.begin(), back->written.end());
  return facts().advice.unnoticed(most);
}

std::vector<std::string> RunAdvice::lost(const std::vector<std::string>& paths) {
  return paths.empty() ? std::vector<std::string>() : facts().advice.lost(paths);
}

void RunAdvice::add_hints(Answer& answer) {
  if (!answer.error) return;
  Error& error = *answer.error;
  const Reader reader = reader_of(plan_);
  const std::string& file = plan_.script.band.band.file;
  error.hint = with_operator(plan_.target, with_limit_line(std::move(error.hint), reader, file, plan_.limits));
  std::vector<std::string> hints;
  std::string masks = hint_of_masks(plan_, error);
  const std::size_t others = (masks.empty() ? 0 : 1) + (error.hint.empty() || is_general(error) ? 0 : 1);
  if (can_have_hints(answer))
    hints = facts().advice.hints(kMostHints - others);
  else if (error.code == Code::WriteConflict)
    hints = facts().advice.conflicts();
  for (std::string& hint : hints) hint = with_limit_line(std::move(hint), reader, file, plan_.limits);
  if (!error.hint.empty() && (hints.empty() || !is_general(error))) {
    hints.insert(hints.begin() + (hints.empty() ? 0 : 1), with_flags(plan_, one_line(error.hint)));
  }
  if (!masks.empty()) hints.insert(hints.begin() + (hints.empty() ? 0 : 1), std::move(masks));
  if (hints.size() > kMostHints) hints.resize(kMostHints);
  if (is_general(error) && !hints.empty() && hints.front() != error.hint) error.details.clear();
  error.hint.clear();
  for (const std::string& hint : hints) error.hint += (error.hint.empty() ? "" : "\n") + hint;
}

}  // namespace band::client
