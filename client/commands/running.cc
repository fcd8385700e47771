#include "client/commands/running.h"

#include <mutex>
#include <set>
#include <string_view>

#include "client/commands/build_difference.h"
#include "client/commands/commands.h"
#include "client/commands/connect.h"
#include "client/commands/run_hints.h"
#include "client/commands/run_report.h"
#include "client/commands/server_facts.h"
#include "client/host/interrupt.h"
#include "client/targets/targets.h"
#include "client/transport/input_sender.h"
#include "client/workspace/secrets_in_files.h"
#include "schemas/permit/permit.h"

namespace band::client {

Result<RequestText> request_text(const RunPlan& plan, Prepared& prepared) {
  ExecRequest request = request_of(plan);
  request.files = std::move(prepared.shipment.files);
  RequestText body(request);
  if (body.text().size() <= kMaxBodyBytes) return body;
  return Error{.code = Code::LimitExceeded,  // the planned size was within the limit
               .doing = "the workspace's files grew while they were read: the request has " +
                        human_bytes(static_cast<std::int64_t>(body.text().size())) + ", the limit is 90 MiB",
               .hint = "run again"};
}

Result<Script> named_script(const CommandLine& line, Terminal& terminal) {
  BAND_TRY(const auto roots, roots_of(line, terminal));
  BAND_TRY(const ScriptPlace place, find_script(roots, line.arguments.front()));
  std::vector<Diagnostic> errors;
  auto script = load_script(place, errors);
  if (!script) return skill_invalid(errors);
  return std::move(*script);
}

std::variant<Script, int> script_of(const CommandLine& line, Terminal& terminal) {
  if (line.arguments.empty())
    return fail(line, terminal,
                {Code::Usage, "", "`band " + line.verb + "` needs a script", 0,
                 "band " + line.verb + " SKILL/SCRIPT, before the parameters; `band list` shows all scripts", ""});
  auto script = named_script(line, terminal);
  if (!script.ok()) return fail(line, terminal, script.error());
  if (line.help) return print(terminal, script_help(*script, line.verb, terminal));
  return std::move(*script);
}

std::variant<RunPlan, int> plan_of(const CommandLine& line, Terminal& terminal) {
  const auto script = script_of(line, terminal);
  if (const int* code = std::get_if<int>(&script)) return *code;
  const Script& planned = std::get<Script>(script);
  auto plan = plan_run(line, planned);
  if (plan.ok()) return std::move(plan).value();
  Error error = plan.error();
  error.hint = with_limit_line(std::move(error.hint), line.verb == "call" ? Reader::Agent : Reader::Author,
                               planned.band.band.file, limits_of(planned.band));
  return fail(line, terminal, error);
}

namespace {

constexpr std::size_t kMostComparisons = 10'000'000;  // files times rules of the ceiling: takes seconds

LeftOut left_out(const DeniedFile& file) { return {file.path, "is denied by the server's ceiling (" + file.why + ")"}; }

// Reads the planned files, without those that the server's ceiling denies.
Result<Shipment> ship_files(const RunPlan& plan, const std::vector<DeniedFile>& denied) {
  ShipPlan permitted = plan.shipment;
  std::set<std::string_view> paths;
  for (const DeniedFile& file : denied) paths.insert(file.path);
  std::erase_if(permitted.files, [&](const PlannedFile& file) { return paths.contains(file.path); });
  BAND_TRY(Shipment shipment, ship(*plan.workspace, permitted, plan.limits));
  for (const DeniedFile& file : denied) shipment.left_out.push_back(left_out(file));
  // Checked again when a planned file is not shipped.
  if (!shipment.left_out.empty() && !plan.replaces) {
    const auto targets =
        unshipped_targets(*plan.workspace, plan.script.band.rules.write, shipment.paths(), Search::Some);
    if (!targets.ok()) return targets.error();
  }
  return shipment;
}

// Requests the ceiling, and reads the files again that it does not deny. Prints a note for each file that is left out.
// Returns false if the ceiling denies none of the files.
Result<bool> leave_out_denied(Connection& connection, const Target& target, const RunPlan& plan, Prepared& prepared,
                              Terminal& terminal) {
  BAND_CHECK(connection.attempt(target));
  BAND_TRY(const Rules ceiling, server_ceiling(connection.daemon()));
  std::vector<std::string> paths;
  paths.reserve(prepared.shipment.sent.size());
  for (const auto& [path, hash] : prepared.shipment.sent) paths.push_back(path);
  std::size_t rules = ceiling.read.deny.size();
  for (const RuleSet& layer : ceiling.read.opened) rules += layer.size();
  if (rules * paths.size() > kMostComparisons) return false;  // the server chooses the number of rules
  BAND_TRY(const std::vector<DeniedFile> denied, files_denied_by(ceiling.read, paths));
  if (denied.empty() || !plan.workspace) return false;
  BAND_TRY(prepared.shipment, ship_files(plan, denied));
  std::vector<LeftOut> left;  // note_shipment() has named the others
  left.reserve(denied.size());
  for (const DeniedFile& file : denied) left.push_back(left_out(file));
  note_left_out(left, plan, terminal);
  return true;
}

// Empty directories are not sent, so the server also names those that the workspace has.
void forget_existing_directories(const RunPlan& plan, Answer& answer) {
  if (!plan.workspace) return;
  const auto exists = [&](const std::string& path) {
    return path.ends_with('/') &&
           plan.workspace->resolve(path.substr(0, path.size() - 1)).kind == Tree::Kind::Directory;
  };
  std::erase_if(answer.not_written, exists);
  std::erase_if(answer.refused, [&](const RefusedFile& file) { return exists(file.path); });
}

}  // namespace

Result<Prepared> prepare(const RunPlan& plan) {
  Prepared prepared;
  if (plan.workspace) {
    BAND_TRY(prepared.shipment, ship_files(plan, {}));
  }
  if (plan.keep_partial) {
    BAND_TRY(auto partial, PartialDirectory::prepare(*plan.keep_partial));
    prepared.partial.emplace(std::move(partial));
  }
  return prepared;
}

Course execute(const RunPlan& plan, Prepared& prepared, Terminal& terminal,
               const std::function<Listener(const Stop&)>& listen, Keyboard* keyboard) {
  const auto request = request_text(plan, prepared);
  if (!request.ok()) return {request.error()};
  const auto target = load_target(plan.target);
  if (!target.ok()) return {target.error()};
  Connection connection;
  Interrupt interrupt([&connection] { connection.stop(); });
  const auto run = [&]() -> Result<Answer> {
    BAND_CHECK(connection.open(*target, terminal));
    note_build_difference(*target, connection.daemon().build(), terminal);
    bool started = false;
    const auto watched = [&](const Stop& stop) {
      Listener listener = listen(stop);
      listener.started = [&started, shown = std::move(listener.started)](const std::string& id) {
        started = true;
        if (shown) shown(id);
      };
      return listener;
    };
    auto answer = execute_on(connection, *target, plan, *request, watched, keyboard);
    // A server refuses files before the script starts; after a start, the script could have read standard input.
    if (started || !answer.ok() || !answer->error || !refuses_files(*answer->error)) return answer;
    BAND_TRY(const bool fewer, leave_out_denied(connection, *target, plan, prepared, terminal));
    if (!fewer) return answer;
    BAND_TRY(const RequestText rest, request_text(plan, prepared));
    BAND_CHECK(connection.attempt(*target));
    return execute_on(connection, *target, plan, rest, listen, keyboard);
  };
  Course course{run()};
  if (course.answer.ok()) forget_existing_directories(plan, *course.answer);
  course.signal = interrupt.signal();
  return course;
}

Result<Answer> execute_on(Connection& connection, const Target& target, const RunPlan& plan, const RequestText& request,
                          const std::function<Listener(const Stop&)>& listen, Keyboard* keyboard) {
  const Stop stop = [&connection] { connection.stop(); };
  std::mutex mutex;
  std::optional<Error> input_refused;
  const auto refuse_input = [&](const Error& error) {
    const std::lock_guard lock(mutex);
    input_refused = error;
    stop();
  };
  std::optional<InputSender> sender;
  Listener listener = listen(stop);
  if (plan.standard_input)
    listener.started = [&, shown = listener.started](const std::string& id) {
      if (shown) shown(id);
      if (keyboard != nullptr)
        if (const Status taken = keyboard->take(); !taken.ok()) return refuse_input(taken.error());
      if (plan.standard_input_text)
        sender.emplace(target, refuse_input, std::string_view(*plan.standard_input_text));
      else
        sender.emplace(target, refuse_input, keyboard);
      sender->start(id, plan.limits);
    };
  auto answer = connection.daemon().execute(request, plan.limits, listener);
  sender.reset();  // waits for its thread, which may call refuse_input
  if (!input_refused) return answer;
  if (!answer.ok()) return *input_refused;
  // The server ends an execution whose input ends early. Its answer can arrive before refuse_input() is called.
  const bool by_reader = input_refused->code == Code::Usage || input_refused->code == Code::Cancelled;
  if (by_reader && answer->error && answer->error->code == Code::Cancelled) answer->error = *input_refused;
  return answer;
}

Error interrupted() {
  return {.code = Code::Cancelled, .doing = "interrupted; the server ends the execution, and nothing was written back"};
}

Result<WriteBack> take_back(const RunPlan& plan, const Shipment& shipment, const std::vector<ShippedFile>& files) {
  if (files.empty()) return put_back(plan, shipment, files);  // writes nothing, so no signal needs to be blocked
  const Interrupt patient([] {});
  return put_back(plan, shipment, files);
}

Result<WriteBack> put_back(const RunPlan& plan, const Shipment& shipment, const std::vector<ShippedFile>& files) {
  if (plan.by_call) BAND_CHECK(check_no_secrets(files, plan.env.secrets));
  if (plan.workspace)
    return write_back(
        *plan.workspace, plan.script.band.rules.write, plan.limits, shipment.sent, files,
        {.began_us = shipment.began_us, .keeps_executables = plan.by_call, .replaces_unsent = plan.replaces});
  if (files.empty()) return WriteBack{};
  return Error{.code = Code::PermissionDenied,
               .doing = "the server returned files, but the band does not allow writing any",
               .hint = "do not trust this server's answers"};
}

std::optional<WriteBack> keep_partial(const RunPlan& plan, Prepared& prepared, const Answer& answer,
                                      Terminal& terminal) {
  if (!prepared.partial || answer.files.empty()) return std::nullopt;
  const Interrupt patient([] {});  // as in take_back()
  auto kept =
      prepared.partial->keep(plan.script.band.rules.write, plan.limits, answer.files, prepared.shipment.began_us);
  if (kept.ok()) return std::move(kept).value();
  // With --json, the only line on stderr is that of the run's own error.
  if (terminal.keeps())
    terminal.always("error: " + kept.error().message());
  else
    terminal.error(kept.error());
  return std::nullopt;
}

}  // namespace band::client
