// `band exec` and `band shell`: run a command or a shell in the sandbox and pass its streams through.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "client/commands/commands.h"
#include "client/commands/exec_band.h"
#include "client/commands/log_file.h"
#include "client/commands/run_hints.h"
#include "client/commands/run_report.h"
#include "client/commands/running.h"
#include "client/terminal/keyboard.h"
#include "client/terminal/outlet.h"
#include "schemas/pattern/shell_text.h"

namespace band::client {
namespace {

// env(1), timeout(1) and the container engines use the same statuses; commands rarely exit with them.
constexpr int kOwnFailure = 125, kTimedOut = 124;
// The default time limit with a terminal: a person needs more time than a script. A longer limit would have no effect
// on a server with the default ceiling.
constexpr std::int64_t kSessionMs = 3600LL * 1000;

int own_failure(const CommandLine& line, Terminal& terminal, const Error& error) {
  const int code = fail(line, terminal, error);
  return error.code == Code::Usage ? code : kOwnFailure;
}

// Returns true for /dev/null, which is always empty: then the connection for standard input is not opened.
bool stdin_is_empty() {
  struct stat input = {}, null = {};
  return ::fstat(STDIN_FILENO, &input) == 0 && ::stat("/dev/null", &null) == 0 && S_ISCHR(input.st_mode) &&
         input.st_rdev == null.st_rdev;
}

Status give_terminal(RunPlan& plan, bool shell) {
  if (!Keyboard::is_terminal())
    return Error{
        .code = Code::Usage,
        .doing = "standard input or standard output is not a terminal",
        .hint = shell ? "run it in a terminal; `band run` needs none" : "leave out -t, or run it in a terminal"};
  plan.terminal = TerminalRequest{Keyboard::size(), Keyboard::type(), shell};
  plan.standard_input = true;
  return done();
}

// Returns true when the command exited by itself. Then the exit code of band is the command's status, even if the
// answer has an error because of this status. If the status is 0, an error has another cause: the write-back, or an
// insist that was not met.
bool ended(const Answer& answer) {
  if (!answer.exit_status || !answer.error) return answer.exit_status.has_value();
  const Code code = answer.error->code;
  return *answer.exit_status != 0 &&
         (code == Code::ScriptFailed || code == Code::PermissionDenied || code == Code::LimitExceeded);
}

// The command could not see these files, and a change of one of them would be a conflict after all of its work.
Status check_unsent(const CommandLine& line, const RunPlan& plan) {
  const std::vector<std::string>& files = plan.unshipped.files;
  if (files.empty()) return done();
  std::string reads;
  for (const std::string& path : line.write)
    if (!path.starts_with('/')) reads += (reads.empty() ? "" : " ") + std::string("--read ") + quoted_word(path);
  return Error{.code = Code::WriteConflict,
               .doing = printable_line(files.front()) + (files.size() > 1 ? " and other files exist" : " exists") +
                        " in the workspace, and --write allows " + (files.size() > 1 ? "them" : "it") +
                        ", but --read does not: changes of the command could not be written back",
               .hint = (reads.empty() ? "allow reading, too" : "add `" + reads + "`") +
                       ", so that the command gets such files; or `--replace`, so that its files replace them"};
}

struct Session {
  const CommandLine& line;
  const RunPlan& plan;
  bool writes_back = true;
  std::string band;  // for --explain
};

int not_written(const Session& session, Prepared& prepared, const RunOutcome& outcome, std::optional<WriteBack>& kept,
                const Error& error, Terminal& terminal) {
  kept = keep_partial(session.plan, prepared, outcome.answer, terminal);
  if (session.plan.keep_partial)
    note_kept(outcome, terminal);
  else if (!outcome.answer.files.empty())
    terminal.note("note: nothing was written back; --keep-partial DIR keeps the files of a failed run");
  print_run_error(terminal, error);
  if (error.code == Code::Timeout) return kTimedOut;
  // A command line of --cli may also be missing, or a program that the file of --band declares.
  const auto& command = session.line.command;
  return command.empty() ? kOwnFailure : status_of_unstarted(error, command.front()).value_or(kOwnFailure);
}

// For a command that has failed by itself. Its exit status is also that of band, so the message has a fact beyond the
// status only if something was refused.
void note_failure(const Error& error, Terminal& terminal) {
  if (error.code == Code::PermissionDenied) terminal.note("note: " + error.message());
  terminal.hint(error.hint);
}

int report(const Session& session, Prepared& prepared, Answer answer, Terminal& terminal) {
  std::optional<WriteBack> back, kept;
  RunAdvice advice(session.plan, prepared.shipment, answer);
  const RunOutcome outcome{session.plan, prepared.shipment, answer, back, kept, advice};
  if (session.line.explain) {
    if (!session.band.empty()) terminal.err("--- the band of this run\n" + printable(session.band));
    explain(outcome, terminal);
  }
  advice.add_hints(answer);
  const bool tells_error = !ended(answer) || (answer.error && !answer.error->hint.empty());
  const std::string message = tells_error ? answer.error->message() : "";
  const std::string hint = tells_error ? answer.error->hint : "";
  // The logs have passed through, with the broker's messages about commands.
  if (!session.line.explain) note_refusals(outcome, {message, answer.stdout_log, answer.stderr_log}, hint, terminal);
  if (!ended(answer)) return not_written(session, prepared, outcome, kept, *answer.error, terminal);
  if (session.writes_back) {
    auto written = take_back(session.plan, prepared.shipment, answer.files);
    if (!written.ok()) {
      answer.error = std::move(written).error();
      advice.add_hints(answer);
      return not_written(session, prepared, outcome, kept, *answer.error, terminal);
    }
    back = std::move(written).value();
    note_changes(outcome, terminal);
  } else {
    note_dropped(outcome, terminal);
  }
  if (answer.error && answer.error->code == Code::LimitExceeded)
    print_run_error(terminal, *answer.error);
  else if (answer.error && !answer.error->hint.empty())
    note_failure(*answer.error, terminal);
  note_nothing_sent(outcome, terminal);
  if (!session.line.command.empty()) note_unnoticed(outcome, terminal);
  if (session.writes_back) count_not_written(outcome, terminal);
  return *answer.exit_status;
}

int pass_through(const Session& session, Terminal& terminal) {
  const RunPlan& plan = session.plan;
  auto prepared = prepare(plan);
  if (!prepared.ok()) return own_failure(session.line, terminal, prepared.error());
  auto log = LogFile::open(session.line.log);
  if (!log.ok()) return own_failure(session.line, terminal, log.error());
  note_shipment(plan, prepared->shipment, terminal);
  Outlet outlet(plan.terminal ? Outlet::Kind::Screen : Outlet::Kind::Streams);
  Keyboard keyboard;
  std::optional<Progress> progress;
  const auto listen = [&](const Stop& stop) {
    progress.emplace(terminal, "waiting for a free slot for " + plan.script.place.name);
    Listener listener;
    listener.limit = [&](const std::string& text) {
      if (progress && !terminal.quiet()) progress->print_above(printable_line("note: " + text) + "\n");
    };
    listener.started = [&](const std::string&) { progress.reset(); };
    listener.log = [&, stop](bool is_stderr, const std::string& bytes) {
      log->add(bytes);
      if (!outlet.write(is_stderr, bytes)) stop();
    };
    return listener;
  };
  Course course = execute(plan, *prepared, terminal, listen, plan.terminal ? &keyboard : nullptr);
  progress.reset();
  outlet.finish();
  if (const Status whole = log->finish(); !whole.ok()) terminal.always("note: " + whole.error().message());
  keyboard.release();  // discards replies of the terminal, which the caller's shell would read as input
  if (course.signal != 0) {
    terminal.error(interrupted());
    return kSignalBase + course.signal;
  }
  if (outlet.error() == EPIPE) return kReaderGone;
  if (outlet.error() != 0)
    return own_failure(session.line, terminal,
                       {.code = Code::Internal, .doing = "cannot write to standard output", .err = outlet.error()});
  if (!course.answer.ok()) return terminal.error(course.answer.error()), kOwnFailure;
  return report(session, *prepared, std::move(course.answer).value(), terminal);
}

Script exec_script(const CommandLine& line, ComposedBand band) {
  Script script;
  const std::string& name = line.command.front();
  script.place = {is_script_name("exec/" + name) ? "exec/" + name : "exec/command", "exec", name, "the command line"};
  script.band = std::move(band);
  script.source = exec_source(line.command);
  return script;
}

}  // namespace

int exec_command(const CommandLine& given, Terminal& terminal) {
  CommandLine line = given;
  if (line.command.empty() && line.tty) line.command = {"bash"};
  if (line.command.empty())
    return fail(line, terminal,
                {.code = Code::Usage,
                 .doing = "`band exec` needs a command",
                 .hint = "band exec -- ls -l, or `band exec -t` for a shell; see `band exec --help`"});
  auto text = exec_band_text(line);
  if (!text.ok()) return own_failure(line, terminal, text.error());
  auto band = exec_band(line, *text);
  if (!band.ok()) return own_failure(line, terminal, band.error());
  if (line.tty && !band->rules.limit.maxRuntimeMs) {
    lengthen(*band, kSessionMs);
    line.limits.push_back("maxRuntimeMs=" + std::to_string(kSessionMs));
    text = exec_band_text(line);  // so that the printed band has the limit, too
    if (!text.ok()) return own_failure(line, terminal, text.error());
  }
  const EffectiveLimits limits = limits_of(*band);
  auto plan = plan_run(line, exec_script(line, std::move(*band)));
  if (!plan.ok()) {
    Error error = plan.error();
    error.hint = with_limit_line(std::move(error.hint), Reader::CommandLine, "", limits);
    return own_failure(line, terminal, error);
  }
  if (!line.dry_run)
    if (const Status sent = check_unsent(line, *plan); !sent.ok()) return own_failure(line, terminal, sent.error());
  plan->command = line.command;
  plan->raw_logs = plan->failures_write = true;
  plan->standard_input = !stdin_is_empty();
  const std::string shown = (line.band ? "# in addition to the rules of " + *line.band + ", see below\n" : "") + *text;
  if (line.dry_run) return print(terminal, printable(shown) + plan_to_text(*plan));
  if (line.tty)
    if (const Status given_terminal = give_terminal(*plan, false); !given_terminal.ok())
      return fail(line, terminal, given_terminal.error());
  return pass_through({line, *plan, true, shown}, terminal);
}

int shell_command(const CommandLine& line, Terminal& terminal) {
  auto planned = plan_of(line, terminal);
  if (const int* code = std::get_if<int>(&planned)) return *code;
  auto& plan = std::get<RunPlan>(planned);
  plan.failures_write = true;
  lengthen(plan.script.band, kSessionMs);
  plan.limits = limits_of(plan.script.band);
  if (const Status given_terminal = give_terminal(plan, true); !given_terminal.ok())
    return fail(line, terminal, given_terminal.error());
  if (!line.write_back && !plan.script.band.rules.write.opens_nothing())
    terminal.note(
        "note: changes are lost when the shell ends; with --write-back, files that `write` allows are written back");
  return pass_through({line, plan, line.write_back, ""}, terminal);
}

}  // namespace band::client
