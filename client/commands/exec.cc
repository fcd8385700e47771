// `band exec` and `band shell`: a command, or a shell, in the sandbox, with its streams passed through.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "client/commands/commands.h"
#include "client/commands/exec_band.h"
#include "client/commands/run_report.h"
#include "client/commands/running.h"
#include "client/terminal/keyboard.h"
#include "client/terminal/outlet.h"
#include "schemas/programs/essentials.h"

namespace band::client {
namespace {

// env(1), timeout(1) and the container engines use the same: the command's own statuses are rarely these.
constexpr int kOwnFailure = 125, kTimedOut = 124;
constexpr std::int64_t kSessionMs = 3600 * 1000;  // of a person at a terminal, unless a limit is given

int own_failure(const CommandLine& line, Terminal& terminal, const Error& error) {
  const int code = fail(line, terminal, error);
  return error.code == Code::Usage ? code : kOwnFailure;
}

// Nobody can write anything into it: the connection for it is not worth its time.
bool stdin_is_empty() {
  struct stat input = {}, null = {};
  return ::fstat(STDIN_FILENO, &input) == 0 && ::stat("/dev/null", &null) == 0 && S_ISCHR(input.st_mode) &&
         input.st_rdev == null.st_rdev;
}

Status give_terminal(RunPlan& plan, bool shell) {
  if (!Keyboard::there())
    return Error{.code = Code::Usage,
                 .doing = "standard input and standard output are not both a terminal",
                 .hint = "leave out -t, or run it where you type"};
  plan.terminal = TerminalRequest{Keyboard::size(), Keyboard::type(), shell};
  plan.standard_input = true;
  return done();
}

// Did the command run to its end? Then its status is what the caller asked for, whatever band makes of it.
bool ended(const Answer& answer) {
  return answer.exit_status &&
         (!answer.error || answer.error->code == Code::ScriptFailed || answer.error->code == Code::PermissionDenied);
}

// Of a shell whose files stay where they are.
void note_dropped(const Answer& answer, Terminal& terminal) {
  if (answer.files.empty()) return;
  terminal.note("note: " + std::to_string(answer.files.size()) + (answer.files.size() == 1 ? " file" : " files") +
                " changed in the sandbox, and nothing was written back: --write-back does it");
}

struct Session {
  const CommandLine& line;
  const RunPlan& plan;
  bool writes_back = true;
  std::string band;  // for --explain
};

int report(const Session& session, Prepared& prepared, Answer answer, Terminal& terminal) {
  std::optional<WriteBack> back, kept;
  const RunOutcome outcome{session.plan, prepared.shipment, answer, back, kept};
  if (session.line.explain) {
    if (!session.band.empty()) terminal.err("--- the band that this amounted to\n" + printable(session.band));
    explain(outcome, terminal);
  }
  const bool whole = ended(answer);
  std::optional<Error> error;
  if (answer.error && (!whole || !answer.error->hint.empty())) error = answer.error;
  if (whole && session.writes_back) {
    auto written = take_back(session.plan, prepared.shipment, answer.files);
    if (written.ok())
      back = std::move(written).value();
    else
      return terminal.error(written.error()), kOwnFailure;
    note_changes(outcome, terminal);
  } else if (whole) {
    note_dropped(answer, terminal);
  } else {
    kept = keep_partial(session.plan, prepared.partial, answer, terminal);
    if (session.plan.keep_partial) note_kept(outcome, terminal);
  }
  if (whole && error)
    terminal.note("note: " + error->message() + "; " + error->hint);
  else if (error)
    terminal.error(*error);
  if (whole) return *answer.exit_status;
  return answer.error->code == Code::Timeout ? kTimedOut : kOwnFailure;
}

int pass_through(const Session& session, Terminal& terminal) {
  const RunPlan& plan = session.plan;
  auto prepared = prepare(plan);
  if (!prepared.ok()) return own_failure(session.line, terminal, prepared.error());
  note_shipment(plan, prepared->shipment, terminal);
  Outlet outlet(plan.terminal ? Outlet::Kind::Screen : Outlet::Kind::Streams);
  Keyboard keyboard;
  std::optional<Progress> progress;
  const auto listen = [&](const Stop& stop) {
    progress.emplace(terminal, "waiting for a free slot for " + plan.script.place.name);
    Listener listener;
    listener.limit = [&](const std::string& text) {
      if (!terminal.quiet()) progress->print_above(printable_line("note: " + text) + "\n");
    };
    listener.started = [&](const std::string&) { progress.reset(); };
    listener.log = [&, stop](bool is_stderr, const std::string& bytes) {
      if (!outlet.write(is_stderr, bytes)) stop();
    };
    return listener;
  };
  Course course = execute(plan, *prepared, listen, plan.terminal ? &keyboard : nullptr);
  progress.reset();
  outlet.finish();
  if (course.signal != 0) {
    terminal.error(interrupted());
    return kSignalBase + course.signal;
  }
  if (outlet.error() == EPIPE) return kReaderGone;
  if (outlet.error() != 0)
    return own_failure(session.line, terminal,
                       {.code = Code::Internal, .doing = "write to standard output", .err = outlet.error()});
  if (!course.answer.ok()) return terminal.error(course.answer.error()), kOwnFailure;
  return report(session, *prepared, std::move(course.answer).value(), terminal);
}

Script script_of(const CommandLine& line, ComposedBand band) {
  Script script;
  const std::string& name = line.command.front();
  script.place = {is_script_name("exec/" + name) ? "exec/" + name : "exec/command", "exec", name, "the command line"};
  script.band = std::move(band);
  script.source = exec_source(line.command);
  return script;
}

// A person looks around for longer than a script may run.
void allow_session(ComposedBand& band) {
  std::optional<std::int64_t>& most = band.rules.limit.maxRuntimeMs;
  most = std::max(most.value_or(0), kSessionMs);
}

bool says_runtime(const CommandLine& line) {
  return std::any_of(line.limits.begin(), line.limits.end(),
                     [](const std::string& limit) { return limit.starts_with("maxRuntimeMs="); });
}

}  // namespace

int exec_command(const CommandLine& given, Terminal& terminal) {
  CommandLine line = given;
  if (line.command.empty() && line.tty) line.command = {"bash"};
  if (line.command.empty())
    return fail(line, terminal,
                {.code = Code::Usage,
                 .doing = "which command?",
                 .hint = "band exec -- ls -l, or `band exec -t` for a shell; `band exec --help` says more"});
  auto text = exec_band_text(line);
  if (!text.ok()) return own_failure(line, terminal, text.error());
  auto band = exec_band(line, *text);
  if (!band.ok()) return own_failure(line, terminal, band.error());
  if (line.tty && !says_runtime(line)) allow_session(*band);
  auto plan = plan_run(line, script_of(line, std::move(*band)));
  if (!plan.ok()) return own_failure(line, terminal, plan.error());
  plan->raw_logs = plan->failures_write = true;
  plan->standard_input = !stdin_is_empty();
  if (line.dry_run) return print(terminal, *text + plan_to_text(*plan));
  if (line.tty)
    if (const Status given_terminal = give_terminal(*plan, false); !given_terminal.ok())
      return fail(line, terminal, given_terminal.error());
  return pass_through({line, *plan, true, *text}, terminal);
}

int shell_command(const CommandLine& line, Terminal& terminal) {
  auto planned = plan_of(line, terminal);
  if (const int* code = std::get_if<int>(&planned)) return *code;
  auto& plan = std::get<RunPlan>(planned);
  plan.failures_write = true;
  allow_session(plan.script.band);
  plan.limits = effective(plan.script.band.rules.limit);
  if (const Status given_terminal = give_terminal(plan, true); !given_terminal.ok())
    return fail(line, terminal, given_terminal.error());
  return pass_through({line, plan, line.write_back, ""}, terminal);
}

}  // namespace band::client
