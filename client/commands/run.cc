// `band run`: the client's steps of docs/architecture.md 2, in order.
#include "client/commands/commands.h"
#include "client/commands/log_file.h"
#include "client/commands/run_hints.h"
#include "client/commands/run_plan.h"
#include "client/commands/run_report.h"
#include "client/commands/running.h"

namespace band::client {
namespace {

constexpr std::size_t kMostHeldLine = 4096;  // bytes of an incomplete log line that are held back

// Prints the log lines of a running script (--verbose) and its progress.
class Ears {
 public:
  Ears(Terminal& terminal, const std::string& script, LogFile& file)
      : terminal_(terminal),
        script_(script),
        file_(file),
        progress_(terminal, "waiting for a free slot for " + script) {
    listener_.limit = [this](const std::string& text) {
      if (terminal_.keeps())
        terminal_.note("note: " + text);
      else if (!terminal_.quiet())
        progress_.print_above(printable_line("note: " + text) + "\n");
    };
    listener_.started = [this](const std::string&) { progress_.say("running " + script_); };
    listener_.log = [this](bool is_stderr, const std::string& data) { log(is_stderr, data); };
  }
  const Listener& listener() const { return listener_; }

  void flush() {
    for (std::string* rest : {&out_, &err_})
      if (!rest->empty()) progress_.print_above(printable(marked_as_log(std::exchange(*rest, ""))) + "\n");
  }

 private:
  void log(bool is_stderr, const std::string& data) {
    file_.add(data);
    if (!terminal_.verbose()) return;
    std::string& rest = is_stderr ? err_ : out_;
    rest += data;
    // Prints whole lines, and parts of very long ones. A final carriage return may be the first half of a line end.
    std::size_t end = rest.find_last_of("\r\n");
    if (end + 1 == rest.size() && end != std::string::npos && rest[end] == '\r')
      end = end == 0 ? std::string::npos : rest.find_last_of("\r\n", end - 1);
    if (end == std::string::npos && rest.size() < kMostHeldLine) return;
    const std::size_t size = end == std::string::npos ? rest.size() : end + 1;
    progress_.print_above(printable(marked_as_log(lines_for_carriage_returns(std::string_view(rest).substr(0, size)))));
    rest.erase(0, size);
  }

  Terminal& terminal_;
  const std::string script_;
  LogFile& file_;
  std::string out_, err_;
  Progress progress_;
  Listener listener_;
};

int fail_run(const CommandLine& line, const RunOutcome& outcome, Terminal& terminal) {
  const Error& error = *outcome.answer.error;
  show_logs(outcome, terminal);
  if (!line.explain) note_refusals(outcome, {error.message()}, error.hint, terminal);
  note_unnoticed(outcome, terminal);
  note_masked(outcome.answer, terminal);
  if (outcome.plan.keep_partial) note_kept(outcome, terminal);
  if (line.json) {
    print_error_line(terminal, error);
    (void)print_json(terminal, *outcome_to_json(outcome, terminal.kept()));
  } else {
    print_run_error(terminal, error);
  }
  return exit_code(error.code);
}

int run_script(const CommandLine& line, const RunPlan& plan, Terminal& terminal) {
  auto prepared = prepare(plan);
  if (!prepared.ok()) return fail(line, terminal, prepared.error());
  auto log = LogFile::open(line.log);
  if (!log.ok()) return fail(line, terminal, log.error());
  note_shipment(plan, prepared->shipment, terminal);
  std::optional<Ears> ears;
  Course course = execute(plan, *prepared, terminal,
                          [&](const Stop&) { return ears.emplace(terminal, plan.script.place.name, *log).listener(); });
  if (ears) ears->flush();
  ears.reset();
  if (const Status whole = log->finish(); !whole.ok()) terminal.always("note: " + whole.error().message());
  if (course.signal != 0) {
    (void)fail(line, terminal, interrupted());
    return kSignalBase + course.signal;
  }
  if (!course.answer.ok()) return fail(line, terminal, course.answer.error());
  Answer answer = std::move(course.answer).value();
  std::optional<WriteBack> back, kept;
  RunAdvice advice(plan, prepared->shipment, answer);
  const RunOutcome outcome{plan, prepared->shipment, answer, back, kept, advice};
  if (line.explain) explain(outcome, terminal);
  if (!answer.error) answer.error = check_output(plan.script, answer.data);
  if (!answer.error) {
    auto written = take_back(plan, prepared->shipment, answer.files);
    if (written.ok())
      back = std::move(written).value();
    else
      answer.error = std::move(written).error();
  }
  if (answer.error) {
    advice.add_hints(answer);
    kept = keep_partial(plan, *prepared, answer, terminal);
    return fail_run(line, outcome, terminal);
  }
  if (!line.explain) note_refusals(outcome, {}, "", terminal);
  note_changes(outcome, terminal);
  note_masked(answer, terminal);
  note_logs(outcome, terminal);
  note_nothing_sent(outcome, terminal);
  note_unnoticed(outcome, terminal);
  count_not_written(outcome, terminal);
  return line.json ? print_json(terminal, *outcome_to_json(outcome, terminal.kept()))
                   : print_json(terminal, *answer.data);
}

}  // namespace

int run_command(const CommandLine& line, Terminal& terminal) {
  const auto planned = plan_of(line, terminal);
  if (const int* code = std::get_if<int>(&planned)) return *code;
  const RunPlan& plan = std::get<RunPlan>(planned);
  if (!line.dry_run) return run_script(line, plan, terminal);
  return line.json ? print_json(terminal, *plan_to_json(plan)) : print(terminal, plan_to_text(plan));
}

}  // namespace band::client
