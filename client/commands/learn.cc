// `band learn`: runs a script in its sandbox, and proposes a line for each refusal. The next run has the proposed
// lines. Every rule is printed before it is sent.
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "client/commands/commands.h"
#include "client/commands/known_ceiling.h"
#include "client/commands/learn_band.h"
#include "client/commands/learn_closed.h"
#include "client/commands/learn_files.h"
#include "client/commands/learn_report.h"
#include "client/commands/learn_run.h"
#include "client/commands/running.h"
#include "client/host/environment.h"
#include "client/host/standard_input.h"
#include "client/learn/learner.h"
#include "schemas/core/json_text.h"
#include "schemas/core/json_value.h"
#include "schemas/core/usage.h"

namespace band::client {
namespace {

constexpr int kUntried = 3;  // exit code: some input has no successful run with the proposed lines
constexpr int kMostRuns = 100;
constexpr std::size_t kStderrLines = 5, kStderrBytes = 1'000;  // shown of a failed run

// Returns the number of runs that need no confirmation; 0 without --runs.
Result<int> runs_of(const CommandLine& line) {
  if (!line.runs) return 0;
  return number_of_flag("runs", *line.runs, 1, kMostRuns);
}

// ---- the script ----

// Parses run.sh, and adds the assignments of the helper files that it may source.
ShellReading reading_of(const Script& script) {
  ShellReading reading = read_shell(script.source);
  for (const auto* files : {&script.lib, &script.skill_files})
    for (const ShippedFile& file : *files)
      if (file.path.ends_with(".sh")) reading.assigned.merge(read_shell(file.content).assigned);
  return reading;
}

// ---- runs ----

class Learning {
 public:
  Learning(const CommandLine& line, Terminal& terminal, Script script, Result<Tree> workspace, int runs)
      : line_(line),
        terminal_(terminal),
        script_(std::move(script)),
        sharers_(sharers_of(script_)),
        place_(place_of_lines(script_, sharers_)),
        workspace_(std::move(workspace)),
        runs_(runs),
        learner_(
            {script_.band.rules, place_.ok() ? place_->file : script_.band.band.file, script_.band.band.file, sharers_,
             reading_of(script_), openable_properties(script_), workspace_of(tree()),
             closed_by(script_, place_.ok() ? &*place_ : nullptr, tree(), inputs_, [this] { return ceiling(); })}) {
    result_.script = script_.place.name;
    result_.skill_directory = script_.place.skill_directory;
    result_.file = place_.ok() ? place_->file : script_.band.band.file;
    result_.is_new = place_.ok() && place_->is_new;
    result_.governing = script_.band.band.file;
    result_.sharers = sharers_;
  }

  // Checks every input before the first run.
  Status read_inputs() {
    std::vector<std::optional<std::string>> given(line_.inputs.begin(), line_.inputs.end());
    if (given.empty()) given.emplace_back();
    for (const auto& input : given) {
      CommandLine one = line_;
      one.input = input;
      BAND_TRY(RunPlan plan, plan_of_input(one));
      inputs_.push_back(std::move(plan.input));
      given_.push_back(std::move(plan.given));
    }
    result_.inputs = inputs_.size();
    return done();
  }

  // Runs until every input works or no further run is useful. Error: no run was possible, or it was interrupted.
  Status run_all() {
    for (std::size_t input = 0; input < inputs_.size();) {
      Rules rules;
      LearnRun next = next_run(input, rules);
      if (!may_run(next)) return done();
      BAND_TRY(const bool changed, run_once(std::move(next), rules));
      const LearnRun& run = result_.runs.back();
      result_.pending = changed;
      const bool well = !run.error && !changed;
      if (well) {
        shown_.insert_or_assign(input, std::move(rules));
        ++input;
      }
      if (!well && !changed)
        return stop(learner_.closed().empty() ? "no further line would allow what was refused"
                                              : "no line of " + result_.file + " alone allows what was refused");
      if (input < inputs_.size() && stopped_by_change()) return done();
    }
    result_.settled = true;
    BAND_CHECK(run_whole());
    return whole_ ? done() : run_rest();
  }

  LearnResult finish() {
    result_.proposal = proposal();
    if (!workspace_.ok())
      result_.proposal.unknown.push_back("which files the script needs: " + workspace_.error().message() + "; " +
                                         workspace_.error().hint);
    if (!result_.proposal.changes()) return std::move(result_);
    const auto draft = draft_of(result_.proposal);
    if (draft.ok()) {
      result_.not_edited.reset();  // a part of the proposal can be written
      result_.path = place_->path;
      result_.diff = draft->diff;
      text_ = draft->text;
    } else {
      result_.not_edited = draft.error();
    }
    return std::move(result_);
  }

  Status write() const { return write_band(*place_, text_); }
  // The signal that ended the last run; 0: none.
  int signal() const { return signal_; }

 private:
  // An existing file that `write` names and that no rule of `read` allows is a conflict, and plan_run() returns an
  // error. learn proposes a line for this file during the runs. Therefore, this plan is made without the rules of
  // `write`.
  Result<RunPlan> plan_of_input(const CommandLine& line) const {
    auto plan = plan_run(line, script_);
    if (plan.ok() || plan.error().code != Code::WriteConflict) return plan;
    Script script = script_;
    script.band.rules.write = {};
    return plan_run(line, script);
  }

  // Leaves out a property NAME whose default is a file that the rules do not allow: the rule `{NAME}` would allow this
  // file for every caller that does not give the property.
  static std::set<std::string> openable_properties(const Script& script) {
    const std::vector<std::string> names = file_properties(script);
    std::set<std::string> properties(names.begin(), names.end());
    for (const std::string& closed : properties_with_closed_default(script)) properties.erase(closed);
    return properties;
  }

  const Tree* tree() const { return workspace_.ok() ? &*workspace_ : nullptr; }

  // Returns nullopt when the ceiling is not known. Then only a run shows which actions the ceiling closes.
  std::optional<Rules> ceiling() const {
    auto known = ask_ceiling(line_, terminal_);
    return known.ok() ? std::move(known->rules) : std::nullopt;
  }

  Status stop(std::string why) {
    result_.stopped = std::move(why);
    return done();
  }

  // ---- the proposal ----

  learn::Proposal proposal() const {
    learn::Proposal proposal = learner_.proposal(inputs_.size(), result_.settled);
    return result_.settled && !whole_ ? learn::tried_part(std::move(proposal)) : proposal;
  }

  Result<DraftedBand> draft_of(const learn::Proposal& proposal) const {
    if (!place_.ok()) return place_.error();
    return drafted_band(script_, *place_, proposal.lines, proposal.removals);
  }

  // Makes the last runs, with the band as it would be written: one for each input, unless the last run of this input
  // already shows that the script succeeds with that band. These runs count for --runs. If they are not made, a part of
  // the proposal is left out.
  Status run_whole() {
    const learn::Proposal whole = learner_.proposal(inputs_.size(), true);
    const auto draft = draft_of(whole);
    if (!draft.ok()) {
      result_.not_edited = draft.error();
      return stop(draft.error().message());
    }
    for (std::size_t input = 0; input < inputs_.size(); ++input) {
      if (shows_enough(shown_.at(input), draft->band.rules)) continue;
      if (stopped_by_change()) return done();
      LearnRun next = whole_run(input, whole, draft->band.rules);
      if (!may_run(next)) return done();
      BAND_CHECK(run_once(std::move(next), draft->band.rules));
      if (const LearnRun& run = result_.runs.back(); run.error)
        return stop("run " + std::to_string(run.number) + ", with the band as it would be written, ended with " +
                    std::string(code_name(run.error->code)));
    }
    whole_ = std::all_of(whole.lines.begin(), whole.lines.end(), [](const learn::Line& line) { return line.tried; });
    return done();
  }

  // The parts of the proposal that the runs of run_whole() did not confirm are left out of the band. Each input must
  // also have a successful run with this smaller band: a line that was left out because of one input may be needed for
  // another input.
  Status run_rest() {
    for (std::set<std::size_t> tried;;) {
      const auto draft = draft_of(proposal());
      if (!draft.ok()) return done();  // nothing is written; finish() reports why
      std::size_t input = 0;
      while (input < inputs_.size() && shows_enough(shown_.at(input), draft->band.rules)) ++input;
      if (input == inputs_.size()) return done();
      if (stopped_by_change()) return unfinished(input);
      // The first attempt is a usual run, which may find the missing line; the second one uses the band itself.
      Rules rules;
      LearnRun next = next_run(input, rules);
      if (!tried.insert(input).second) {
        rules = draft->band.rules;
        next = run_of(input, rules);
        next.is_whole = true;
      }
      const bool is_whole = next.is_whole;
      if (!may_run(next)) return unfinished(input);
      BAND_TRY(const bool changed, run_once(std::move(next), rules));
      const bool well = !result_.runs.back().error;
      if (well && !changed) shown_.insert_or_assign(input, std::move(rules));
      if (changed) tried.erase(input);
      if (!changed && (!well || (is_whole && !shows_enough(shown_.at(input), draft->band.rules))))
        return unfinished(input);
    }
  }

  Status unfinished(std::size_t input) {
    result_.settled = false;
    result_.unfinished = "input " + std::to_string(input + 1) + " of " + std::to_string(inputs_.size()) +
                         " has no successful run with these lines";
    const auto last = std::find_if(result_.runs.rbegin(), result_.runs.rend(),
                                   [&](const LearnRun& run) { return run.input == input; });
    if (last != result_.runs.rend() && last->error && last->unseen.empty())
      result_.unfinished += ": run " + std::to_string(last->number) + " ended with " +
                            std::string(code_name(last->error->code)) + " (" + last->error->message() + ")";
    return done();
  }

  LearnRun whole_run(std::size_t input, const learn::Proposal& whole, const Rules& rules) const {
    LearnRun run = run_of(input, rules);
    run.is_whole = true;
    for (const learn::Line& line : whole.lines)
      if (line.section == "insist") run.insists.push_back(line.domain + " " + json_string(line.pattern));
    return run;
  }

  // ---- one run ----

  // The announcement of a run with this input. The rules that it prints are the rules that are sent.
  LearnRun run_of(std::size_t input, const Rules& rules) const {
    LearnRun run;
    run.number = static_cast<int>(result_.runs.size()) + 1;
    run.input = input;
    run.input_text = dump_json(inputs_[input]);
    run.opened = opened_lines(rules, inputs_[input]);
    return run;
  }

  LearnRun next_run(std::size_t input, Rules& rules) const {
    std::vector<learn::Watch> watched;
    rules = learner_.trial(inputs_[input], given_[input], input, watched);
    LearnRun run = run_of(input, rules);
    run.watched = std::move(watched);
    return run;
  }

  // Stops when the last run changed something outside: no run may follow it.
  bool stopped_by_change() {
    const LearnRun& run = result_.runs.back();
    if (run.outside.empty()) return false;
    (void)stop("run " + std::to_string(run.number) + " " + run.outside.front() + ", so no further run is made" +
               (result_.settled
                    ? ""
                    : ": write the lines that you want into " + result_.file + ", and run `band learn` again"));
    return true;
  }

  // Prints what the next run may do and prompts for it. Returns false, and prints nothing, when the run is not allowed.
  bool may_run(const LearnRun& next) {
    const bool asks = terminal_.err_is_terminal() && ::isatty(STDIN_FILENO) == 1 && runs_ == 0;
    const bool is_free = next.number == 1 || next.number <= runs_;
    if (!is_free && !asks) {
      (void)stop(runs_ > 0 ? "--runs " + std::to_string(runs_) + " allows no further run"
                           : "a further run needs --runs N, or a terminal for the prompt");
      return false;
    }
    terminal_.err(announcement(next, inputs_.size(), result_.runs));
    if (is_free) return true;
    terminal_.err(next.is_whole ? "run with this band? [y/N] " : "run again with these lines? [y/N] ");
    const auto answer = read_standard_input(100, Until::Line);
    const std::string said = answer.ok() && *answer ? **answer : "";
    if (said.starts_with('y') || said.starts_with('Y')) return true;
    (void)stop("the answer to the prompt was not y");
    return false;
  }

  // Returns true when the next run would have other rules.
  Result<bool> run_once(LearnRun run, const Rules& rules) {
    const std::size_t input = run.input;
    LearnAnswer ended = run_of_learn(line_, terminal_, script_, inputs_[input], rules);
    signal_ = ended.signal;
    BAND_TRY(Answer answer, std::move(ended.answer));
    const learn::Evidence evidence = learn::evidence_of(answer);
    run.error = answer.error;
    if (answer.error) run.stderr_end = tail(answer.stderr_log, kStderrLines, kStderrBytes);
    run.ledger = answer.ledger;
    if (!run.is_whole) run.unseen = evidence.unseen;
    run.outside = learn::changes_outside(evidence, rules);
    result_.runs.push_back(run);
    terminal_.err(account_of(run));
    return !run.is_whole && learner_.observe({run.number, input, inputs_[input], given_[input], evidence});
  }

  const CommandLine& line_;
  Terminal& terminal_;
  Script script_;
  std::vector<std::string> sharers_;
  Result<BandPlace> place_;
  Result<Tree> workspace_;
  int runs_;
  learn::Learner learner_;
  std::vector<JsonValue> inputs_, given_;  // with the schema's defaults, and without
  std::map<std::size_t, Rules> shown_;     // by input: the rules of its last successful run
  bool whole_ = false;                     // successful runs had the whole proposal
  LearnResult result_;
  std::string text_;
  int signal_ = 0;
};

// Writes the lines. Called after they were printed.
Status apply(const Learning& learning, Terminal& terminal, LearnResult& result) {
  BAND_CHECK(learning.write());
  result.applied = true;
  terminal.note("wrote " + result.path);
  return done();
}

// `applies`: with --apply.
int exit_code_of(const LearnResult& result, bool applies) {
  if (result.settled) return applies && result.not_edited ? exit_code(result.not_edited->code) : 0;
  if (!result.unfinished.empty() || !result.proposal.closed.empty()) return kUntried;
  const bool failed = !result.runs.empty() && result.runs.back().error.has_value();
  return result.pending || !failed ? kUntried : exit_code(result.runs.back().error->code);
}

int report(const CommandLine& line, const Learning& learning, Terminal& terminal, LearnResult result) {
  const bool writes = line.apply && result.settled && !result.diff.empty();
  const bool has_unwritten = result.proposal.changes() || !result.unfinished.empty() || !result.proposal.closed.empty();
  if (line.apply && (result.not_edited || (!result.settled && has_unwritten)))
    result.not_applied = not_applied_text(result);
  if (line.json) {
    if (writes) {
      terminal.err(printable(result.diff));
      if (const Status written = apply(learning, terminal, result); !written.ok())
        return fail(line, terminal, written.error());
    }
    const int printed = print_json_text(terminal, learn_to_json(result));
    return printed != 0 ? printed : exit_code_of(result, line.apply);
  }
  if (const int printed = print(terminal, learn_to_text(result, writes)); printed != 0) return printed;
  if (writes)
    if (const Status written = apply(learning, terminal, result); !written.ok())
      return fail(line, terminal, written.error());
  return exit_code_of(result, line.apply);
}

}  // namespace

int learn_command(const CommandLine& line, Terminal& terminal) {
  const auto runs = runs_of(line);
  if (!runs.ok()) return fail(line, terminal, runs.error());
  if (std::count(line.inputs.begin(), line.inputs.end(), "-") > 1)
    return fail(line, terminal, usage("--input - is given twice", "standard input can be one of the inputs"));
  auto script = script_of(line, terminal);
  if (const int* code = std::get_if<int>(&script)) return *code;
  auto workspace = open_workspace(line.workspace);
  if (!workspace.ok() && line.workspace) return fail(line, terminal, workspace.error());
  Learning learning(line, terminal, std::get<Script>(std::move(script)), std::move(workspace), *runs);
  if (const Status read = learning.read_inputs(); !read.ok()) return fail(line, terminal, read.error());
  const Status ran = learning.run_all();
  LearnResult result = learning.finish();
  if (ran.ok()) return report(line, learning, terminal, std::move(result));
  if (!result.runs.empty() && !line.json) (void)print(terminal, learn_to_text(result, false));
  const int code = fail(line, terminal, ran.error());
  return learning.signal() != 0 ? kSignalBase + learning.signal() : code;
}

}  // namespace band::client
