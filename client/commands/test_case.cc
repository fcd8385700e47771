#include "client/commands/test_case.h"

#include <algorithm>
#include <chrono>

#include "client/commands/run_hints.h"
#include "client/commands/running.h"
#include "client/skill_tests/case_workspace.h"
#include "client/terminal/nearest.h"

namespace band::client {
namespace {

constexpr int kMostTries = 30;  // attempts while the server is busy
constexpr int kUsualPauseMs = 1000, kMostPauseMs = 10'000;

// Returns true for errors of the client, the server or the connection, which end the whole test run.
bool ends_all(Code code) {
  return code == Code::ServerUnreachable || code == Code::Unauthorized || code == Code::ServerBusy ||
         code == Code::Cancelled;
}

CommandLine line_for(const SkillCase& one, const Script& script, const Target& target, const std::string& workspace) {
  CommandLine line;
  line.verb = "run";
  line.arguments = {script.place.name};
  line.parameters = one.arguments;
  if (one.input) line.input = dump_json(*one.input);
  line.workspace = workspace;
  line.target = target.name;
  line.standard_input = one.standard_input.has_value();
  return line;
}

Result<RunPlan> plan_case(const SkillCase& one, const Script& script, const Target& target,
                          const std::string& workspace) {
  const CallerValues values{one.variables, one.configuration, one.place()};
  auto plan = plan_run(line_for(one, script, target, workspace), script, &values);
  if (plan.ok()) {
    plan->standard_input_text = one.standard_input;
    return plan;
  }
  Error error = plan.error();
  if (error.code == Code::SecretMissing)
    error.hint = "set it in the case, as in `env: {NAME: \"value\"}`; `band test` ignores its own environment";
  return error;
}

Result<Answer> answer_once(const RunPlan& plan, const RequestText& request, const Target& target,
                           CaseStopper& stopper) {
  Connection connection;
  const CaseStopper::Reach reach(stopper, connection);
  BAND_CHECK(connection.attempt(target));
  return execute_on(connection, target, plan, request, [](const Stop&) { return Listener{}; });
}

// Retries while the server is busy, after the pause that it requests (at most 10 s; 1 s by default).
Result<Answer> answer_of(const RunPlan& plan, const RequestText& request, const Target& target, CaseStopper& stopper) {
  for (int attempt = 1;; ++attempt) {
    auto answer = answer_once(plan, request, target, stopper);
    if (answer.ok() || answer.error().code != Code::ServerBusy || attempt == kMostTries) return answer;
    const int pause = std::min(retry_after_ms(answer.error()).value_or(kUsualPauseMs), kMostPauseMs);
    if (!stopper.wait_ms(pause)) return interrupted();
  }
}

RunEnd end_of(const RunPlan& plan, const Shipment& shipment, Answer answer) {
  RunEnd end;
  end.exit_status = answer.exit_status;
  for (const LedgerEntry& entry : answer.ledger)
    if (is_refusal(entry)) end.refusals.push_back(entry.text);
  if (!answer.error) answer.error = check_output(plan.script, answer.data);
  if (!answer.error) {
    auto back = put_back(plan, shipment, answer.files);
    if (back.ok())
      end.written = back->written;
    else
      answer.error = back.error();
  }
  RunAdvice(plan, shipment, answer).add_hints(answer);
  end.error = std::move(answer.error);
  end.output = std::move(answer.data);
  end.stdout_log = std::move(answer.stdout_log);
  end.stderr_log = std::move(answer.stderr_log);
  return end;
}

Result<RunEnd> run_planned(const RunPlan& plan, const Target& target, CaseStopper& stopper) {
  BAND_TRY(Prepared prepared, prepare(plan));
  BAND_TRY(const RequestText request, request_text(plan, prepared));
  BAND_TRY(Answer answer, answer_of(plan, request, target, stopper));
  if (answer.error && ends_all(answer.error->code)) return *answer.error;
  return end_of(plan, prepared.shipment, std::move(answer));
}

}  // namespace

void CaseStopper::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  for (Connection* connection : open_) connection->stop();
  wake_.notify_all();
}

bool CaseStopper::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

bool CaseStopper::wait_ms(int ms) {
  std::unique_lock lock(mutex_);
  return !wake_.wait_for(lock, std::chrono::milliseconds(ms), [this] { return stopped_; });
}

CaseStopper::Reach::Reach(CaseStopper& stopper, Connection& connection) : stopper_(stopper), connection_(connection) {
  const std::lock_guard lock(stopper_.mutex_);
  stopper_.open_.insert(&connection_);
  if (stopper_.stopped_) connection_.stop();
}

CaseStopper::Reach::~Reach() {
  const std::lock_guard lock(stopper_.mutex_);
  stopper_.open_.erase(&connection_);
}

std::vector<Diagnostic> undeclared_variables(const SkillCase& one, const Script& script) {
  std::vector<std::string> declared;
  for (const EnvRule& rule : script.band.rules.env) declared.push_back(rule.name);
  std::vector<Diagnostic> errors;
  for (const auto& [name, line] : one.variable_lines)
    if (std::find(declared.begin(), declared.end(), name) == declared.end())
      errors.push_back(
          {one.file, line, 0, "the band of " + script.place.name + " does not declare the variable " + name,
           did_you_mean(name, declared, "",
                        "remove it, or write `env: {" + name + ": {secret: false}}` in " + script.band.band.file)});
  return errors;
}

Result<RunEnd> run_case(const SkillCase& one, const Script& script, const Target& target, CaseStopper& stopper) {
  static const WorkspaceFiles none;
  BAND_TRY(const CaseWorkspace workspace, CaseWorkspace::make(one.workspace ? *one.workspace : none));
  auto ended = [&]() -> Result<RunEnd> {
    BAND_TRY(const RunPlan plan, plan_case(one, script, target, workspace.path()));
    return run_planned(plan, target, stopper);
  }();
  if (!ended.ok() && (ends_all(ended.error().code) || stopper.stopped())) return ended.error();
  RunEnd end;
  if (ended.ok())
    end = std::move(ended).value();
  else
    end.error = ended.error();
  for (const ExpectedFile& file : one.expect.files) {
    BAND_TRY(end.files[file.path], workspace.read(file.path));
  }
  return end;
}

}  // namespace band::client
