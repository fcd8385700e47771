// `band run`: the client's side of design section 3, in order.
#include <openssl/crypto.h>

#include <algorithm>
#include <mutex>

#include "client/commands/commands.h"
#include "client/commands/run_plan.h"
#include "client/commands/run_report.h"
#include "client/host/interrupt.h"
#include "client/transport/daemon.h"
#include "client/transport/input_sender.h"
#include "client/transport/targets.h"
#include "client/workspace/partial.h"
#include "schemas/core/json.h"

namespace band::client {
namespace {

constexpr std::size_t kMostHeldLine = 4096;  // of an unfinished line of a log
constexpr int kSignalBase = 128;

Result<std::string> request_body(const RunPlan& plan, Shipment& shipment) {
  ExecRequest request = request_of(plan);
  request.files = std::move(shipment.files);
  std::string body = dump_json(request_to_json(request));
  if (body.size() <= kMaxBodyBytes) return body;
  return Error{.code = Code::LimitExceeded,  // it was planned to fit
               .doing = "the workspace's files grew while they were read: the request has " +
                        human_bytes(static_cast<std::int64_t>(body.size())) + ", at most 90 MiB travel",
               .hint = "run again"};
}

// Log lines of a script while it runs (--verbose), and what is waited for.
class Ears {
 public:
  Ears(Terminal& terminal, const std::string& script)
      : terminal_(terminal), script_(script), progress_(terminal, "waiting for a free slot for " + script) {
    listener_.limit = [this](const std::string& text) {
      if (!terminal_.quiet()) progress_.print_above(printable_line("note: " + text) + "\n");
    };
    listener_.started = [this](const std::string&) { progress_.say("running " + script_); };
    listener_.log = [this](bool is_stderr, const std::string& data) { log(is_stderr, data); };
  }
  const Listener& listener() const { return listener_; }

  void flush() {
    for (std::string* rest : {&out_, &err_})
      if (!rest->empty()) progress_.print_above(printable(std::exchange(*rest, "")) + "\n");
  }

 private:
  void log(bool is_stderr, const std::string& data) {
    if (!terminal_.verbose()) return;
    std::string& rest = is_stderr ? err_ : out_;
    rest += data;
    // Whole lines, but no endless ones. A carriage return that came last may be half of a line's end.
    std::size_t end = rest.find_last_of("\r\n");
    if (end + 1 == rest.size() && end != std::string::npos && rest[end] == '\r')
      end = end == 0 ? std::string::npos : rest.find_last_of("\r\n", end - 1);
    if (end == std::string::npos && rest.size() < kMostHeldLine) return;
    const std::size_t size = end == std::string::npos ? rest.size() : end + 1;
    progress_.print_above(printable(lines_for_carriage_returns(std::string_view(rest).substr(0, size))));
    rest.erase(0, size);
  }

  Terminal& terminal_;
  const std::string script_;
  std::string out_, err_;
  Progress progress_;
  Listener listener_;
};

Result<Answer> execute(const RunPlan& plan, Shipment& shipment, Terminal& terminal, int& signal) {
  BAND_TRY(std::string body, request_body(plan, shipment));
  BAND_TRY(const Target target, load_target(plan.target));
  Daemon daemon(target);
  Interrupt interrupt([&daemon] { daemon.stop(); });
  std::mutex mutex;
  std::optional<Error> input_refused;
  const auto refuse_input = [&](const Error& error) {
    const std::lock_guard lock(mutex);
    input_refused = error;
    daemon.stop();
  };
  const auto run = [&]() -> Result<Answer> {
    BAND_CHECK(daemon.prove());
    Ears ears(terminal, plan.script.place.name);
    std::optional<InputSender> sender;
    Listener listener = ears.listener();
    if (plan.standard_input)
      listener.started = [&, shown = ears.listener().started](const std::string& id) {
        shown(id);
        sender.emplace(target, refuse_input).start(id, plan.limits);
      };
    auto answer = daemon.execute(body, plan.limits, listener);
    ears.flush();
    return answer;
  };
  auto answer = run();
  OPENSSL_cleanse(body.data(), body.size());  // it holds the secrets
  signal = interrupt.signal();
  if (!answer.ok() && input_refused) return *input_refused;
  return answer;
}

// The script's own output against its schema: the server only knows that it is JSON.
std::optional<Error> check_output(const Script& script, const Json& data) {
  if (!script.output) return std::nullopt;
  const std::vector<Violation> violations = script.output->validate(data);
  if (violations.empty()) return std::nullopt;
  std::string text = "the output of " + script.place.name + " does not fit its schema:";
  Json details = Json::array();
  for (const Violation& violation : violations) {
    text += "\n  output" + violation.pointer + ": " + violation.message + " (rule `" + violation.rule + "`)";
    details.push_back({{"pointer", violation.pointer}, {"rule", violation.rule}, {"message", violation.message}});
  }
  return Error{.code = Code::OutputInvalid,
               .doing = text,
               .hint = "mend the script, or schemas/output/" + script.place.script + ".json",
               .details = dump_json(details)};
}

Result<WriteBack> take_back(const RunPlan& plan, const Shipment& shipment, const std::vector<ShippedFile>& files) {
  if (plan.workspace) {
    const Interrupt patient([] {});  // a first Ctrl-C does not come between two files
    return write_back(*plan.workspace, plan.script.band.rules.write, plan.limits, shipment.sent, files);
  }
  if (files.empty()) return WriteBack{};
  return Error{.code = Code::PermissionDenied,
               .doing = "the server sent files back, but the band writes none",
               .hint = "the server's answer is not to be trusted"};
}

// Nothing without --keep-partial, or without files.
std::optional<WriteBack> keep_partial(const RunPlan& plan, std::optional<PartialDirectory>& partial,
                                      const Answer& answer, Terminal& terminal) {
  if (!partial || answer.files.empty()) return std::nullopt;
  const Interrupt patient([] {});  // as in take_back()
  auto kept = partial->keep(plan.script.band.rules.write, plan.limits, answer.files);
  if (kept.ok()) return std::move(kept).value();
  terminal.error(kept.error());
  return std::nullopt;
}

int fail_run(const CommandLine& line, const RunOutcome& outcome, Terminal& terminal) {
  const Error& error = *outcome.answer.error;
  show_logs(outcome, terminal);
  if (outcome.plan.keep_partial) note_kept(outcome, terminal);
  terminal.error(error);
  if (line.json) (void)print_json(terminal, outcome_to_json(outcome));
  return exit_code(error.code);
}

int run_script(const CommandLine& line, const RunPlan& plan, Terminal& terminal) {
  Shipment shipment;
  if (plan.workspace) {
    auto shipped = ship(*plan.workspace, plan.shipment, plan.limits);
    if (!shipped.ok()) return fail(line, terminal, shipped.error());
    shipment = std::move(shipped).value();
    // Again, when something that was planned did not travel.
    if (!shipment.left_out.empty())
      if (const auto targets = unshipped_targets(*plan.workspace, plan.script.band.rules.write, shipment.paths());
          !targets.ok())
        return fail(line, terminal, targets.error());
  }
  std::optional<PartialDirectory> partial;
  if (plan.keep_partial) {
    auto prepared = PartialDirectory::prepare(*plan.keep_partial);
    if (!prepared.ok()) return fail(line, terminal, prepared.error());
    partial.emplace(std::move(prepared).value());
  }
  note_shipment(plan, shipment, terminal);
  int signal = 0;
  auto executed = execute(plan, shipment, terminal, signal);
  if (signal != 0) {
    (void)fail(
        line, terminal,
        {Code::Cancelled, "", "interrupted; the server ends the execution, and nothing was written back", 0, "", ""});
    return kSignalBase + signal;
  }
  if (!executed.ok()) return fail(line, terminal, executed.error());
  Answer answer = std::move(executed).value();
  std::optional<WriteBack> back, kept;
  const RunOutcome outcome{plan, shipment, answer, back, kept};
  if (line.explain) explain(outcome, terminal);
  if (!answer.error) answer.error = check_output(plan.script, answer.data);
  if (!answer.error) {
    auto written = take_back(plan, shipment, answer.files);
    if (written.ok())
      back = std::move(written).value();
    else
      answer.error = std::move(written).error();
  }
  if (answer.error) {
    if (const std::string hint = hint_of_missing_files(plan, answer); !hint.empty())
      answer.error->hint += (answer.error->hint.empty() ? "" : "; ") + hint;
    kept = keep_partial(plan, partial, answer, terminal);
    return fail_run(line, outcome, terminal);
  }
  note_changes(outcome, terminal);
  note_logs(outcome, terminal);
  return print_json(terminal, line.json ? outcome_to_json(outcome) : *answer.data);
}

}  // namespace

int run_command(const CommandLine& line, Terminal& terminal) {
  if (line.arguments.empty())
    return fail(line, terminal,
                {Code::Usage, "", "which script?", 0,
                 "band run SKILL/SCRIPT, before the parameters; `band list` shows what there is", ""});
  const auto roots = roots_of(line, terminal);
  if (!roots.ok()) return fail(line, terminal, roots.error());
  const auto place = find_script(*roots, line.arguments.front());
  if (!place.ok()) return fail(line, terminal, place.error());
  std::vector<Diagnostic> errors;
  const auto script = load_script(*place, errors);
  if (!script) return fail(line, terminal, skill_invalid(errors));
  if (line.help) return print(terminal, script_help(*script, terminal));
  const auto plan = plan_run(line, *script);
  if (!plan.ok()) return fail(line, terminal, plan.error());
  if (!line.dry_run) return run_script(line, *plan, terminal);
  return line.json ? print_json(terminal, plan_to_json(*plan)) : print(terminal, plan_to_text(*plan));
}

}  // namespace band::client
