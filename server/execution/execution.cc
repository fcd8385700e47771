#include "server/execution/execution.h"

#include <poll.h>

#include <algorithm>
#include <optional>

#include "schemas/core/json.h"
#include "schemas/core/json_number.h"
#include "server/base/io.h"
#include "server/base/undo.h"
#include "server/evidence/file_witness.h"
#include "server/evidence/judge.h"
#include "server/evidence/logs.h"
#include "server/evidence/mask.h"
#include "server/evidence/record.h"
#include "server/execution/commands.h"
#include "server/execution/network.h"
#include "server/execution/sandbox.h"
#include "server/execution/supervise.h"
#include "server/execution/zygote.h"
#include "server/landlock/landlock.h"
#include "server/layout/places.h"
#include "server/view/declared.h"
#include "server/view/homes.h"
#include "server/view/stage.h"
#include "server/view/workspace.h"

namespace band::run {
namespace {

// Writes the output that every script must write, then starts an interactive bash with the prelude of every script.
constexpr const char* kShellSession = R"(echo null >"$OUTPUT_PATH"
PS1='$BAND_SCRIPT:\w\$ ' exec bash --rcfile "$BASH_ENV" -i)";

double ms_between(std::int64_t from_us, std::int64_t to_us) { return static_cast<double>(to_us - from_us) / 1000.0; }

init::Script script_of(const ExecRequest& request, const policy::ExecutionPlan& plan) {
  init::Script script;
  script.argv = {layout::kShell, layout::script_file(request.script)};
  if (request.runs_shell()) script.argv = {layout::kShell, "-c", kShellSession};
  script.env = plan.env;
  script.env.push_back(std::string("BASH_ENV=") + layout::kPrelude);
  return script;
}

// Returns the value's JSON text; `written` holds it unless the value consists of its text.
std::string_view json_text(const Json& value, std::string& written) {
  if (const auto text = text_of(value)) return *text;
  return written = dump_json(value);
}

class Execution {
 public:
  Execution(slot::Slot& slot, const Site& site, const Job& job, ExecRequest& request, ReplyWriter& reply,
            std::unique_ptr<Prepared> warm)
      : slot_(slot), site_(site), job_(job), request_(request), reply_(reply), made_(std::move(warm)) {}

  Outcome run() {
    Outcome outcome;
    outcome.answer.id = job_.id;
    outcome.answer.metrics.queueMs = ms_between(job_.queued_us, base::monotonic_us());
    outcome.answer.metrics.warm = made_ != nullptr;
    Status status = steps(outcome);
    if (const Status ended = end(outcome); status.ok()) status = ended;
    if (!status.ok()) outcome.answer.error = status.error();
    if (outcome.answer.error) {  // a failed run has no output, and files only with keep_partial
      outcome.answer.data = JsonValue();
      if (!request_.keep_partial) outcome.answer.files.clear();
    }
    mask_.answer(outcome.answer, request_.whole_files);
    clock_.went_to(script_started_ ? &StepTimes::teardown : began_to_make_ ? &StepTimes::start : &StepTimes::slot);
    note_times(outcome.answer.metrics);
    outcome.answer.metrics.totalMs = ms_between(job_.queued_us, base::monotonic_us());
    return outcome;
  }

 private:
  // Called on every path. Ends everything that was made, the network last; the network is kept while processes are
  // dying.
  Status end(Outcome& outcome) {
    if (!made_) return done();
    end_views(*made_, outcome.dying);  // in most executions the processes are dead by now
    outcome.had_network = !outcome.dying.empty() || (made_->network && made_->network->left_traces());
    const Status ended = end_network(*made_, outcome.dying);
    const bool keeps_disk_busy = !made_->stage.declared().empty() || !made_->declared.mounts.empty();
    outcome.rest = std::move(made_);
    const Status removed = keeps_disk_busy ? remove(std::move(outcome.rest)) : done();
    if (!ended.ok() || !removed.ok()) outcome.had_network = true;  // a rule of the firewall may be left
    return ended.ok() ? removed : ended;
  }

  Status steps(Outcome& outcome) {
    Answer& answer = outcome.answer;
    const std::int64_t began = base::monotonic_us();
    BAND_TRY(policy::ExecutionPlan plan, policy::plan(request_, site_.config));
    const base::Undo keep([&] {
      if (script_started_) outcome.plan = std::move(static_cast<policy::SandboxPlan&>(plan));
    });
    mask_ = Mask(request_.terminal ? with_terminal_forms(plan.secrets) : plan.secrets);
    BAND_TRY(Record record, Record::open(plan.rules, mask_, reply_, began));
    const base::Undo add_ledger([&] { answer.ledger = record.ledger().release(); });
    for (LedgerEntry& note : plan.notes) {
      if (note.kind == "limit") reply_.note("limit", note.text);  // before the script starts
      record.ledger().add(std::move(note));
    }
    began_to_make_ = true;
    if (made_) {
      job_.boost.sandbox_started();
      clock_.went_to(&StepTimes::slot);
    } else {
      BAND_CHECK(make_now(plan));
    }
    for (LedgerEntry& note : made_->declared.notes) record.ledger().add(std::move(note));
    view::Stage& stage = made_->stage;
    BAND_CHECK(fill(stage));
    clock_.went_to(&StepTimes::stage);
    BAND_TRY(const auto files, FileWitness::call({plan.rules, stage.workspace(), stage.declared(),
                                                  made_->declared.links, request_.files, who(), go_on(), record}));
    std::optional<StandardInput> input;
    BAND_CHECK(open_input(input));
    BAND_TRY(const auto commands, Commands::serve({slot_, plan, record, files.get()}, std::move(made_->commands)));
    Sandbox& sandbox = *made_->sandbox;
    Network& network = *made_->network;
    reply_.started(job_.id);

    clock_.went_to(&StepTimes::views);
    const auto sent = request_.sends_raw() ? Log::Sent::Whole : Log::Sent::Capped;
    Log out("stdout", sandbox.take_stdout(), mask_, sent), err("stderr", sandbox.take_stderr(), mask_, sent);
    const Course course = supervise({sandbox, out, err, reply_, *commands, network, record, job_.boost, files.get(),
                                     input ? &*input : nullptr, job_.cancellation, plan.limits.maxRuntimeMs},
                                    script_of(request_, plan));
    script_started_ = course.started_us != 0;
    if (script_started_) clock_.went_to(&StepTimes::start, course.started_us);
    const bool script_dead = sandbox.end(kDeathMs), commands_dead = commands->end(kDeathMs);
    made_->commands = commands->take_view();
    if (!script_dead) outcome.dying.add(std::move(sandbox));
    if (!commands_dead) outcome.dying.add(std::move(*made_->commands.holder));
    clock_.went_to(script_started_ ? &StepTimes::script : &StepTimes::start);
    if (!outcome.dying.empty()) return late("processes");

    // From here on no process of the script runs.
    out.drain(reply_);
    err.drain(reply_);
    take_logs(out, err, answer);
    if (zygote_exited(site_.zygote)) return Zygote::exited();  // this killed the script
    const slot::Usage usage = slot_.usage();
    const Status finished = network.finish(record);
    BAND_CHECK(note_refused_packets(network, record));  // without net rules, judge's only evidence of a refusal
    judge({course.ending, plan.at_ceiling, usage.oom_kills > 0, usage.refused_forks > 0, stage.out(),
           record.ledger().first_denied(), write_only(stage), view::room_left(stage.workspace()),
           record.ledger().first_failed()},
          plan.limits, answer);
    if (!answer.error) BAND_CHECK(finished);
    Status held = stage.check_masks();
    if (!held.ok()) {
      record.ledger().add({"unmasked", held.error().message(), Json::object()});
      if (!answer.error) return held;
    }
    note_usage(course, usage, answer.metrics);
    if (!answer.error && files) BAND_CHECK(files->finish());  // before the engine itself opens files of the workspace
    if (answer.error && request_.keep_partial)
      return keep_partial(held.ok() ? take_changes(stage, plan, record, answer) : held, *answer.error), done();
    if (!answer.error) BAND_CHECK(take_changes(stage, plan, record, answer));
    if (!answer.error && !request_.runs_shell()) BAND_CHECK(record.insists().judge());
    return done();
  }

  Status make_now(const policy::SandboxPlan& plan) {
    BAND_CHECK(slot_.limit_memory(plan.limits.maxMemoryBytes, job_.token));
    BAND_CHECK(job_.boost.apply());
    clock_.went_to(&StepTimes::slot);
    made_ = std::make_unique<Prepared>();
    const auto size = request_.terminal ? std::optional(request_.terminal->size) : std::nullopt;
    return make(*made_, {slot_, job_.mounts, site_, plan, clock_, size, request_.takes_input(), go_on(),
                         [this] { job_.boost.sandbox_started(); }});
  }

  Status fill(view::Stage& stage) {
    std::string input, config;
    view::Given given{layout::script_file(request_.script), request_.source,         json_text(request_.input, input),
                      json_text(request_.config, config),   std::move(request_.lib), std::move(request_.skill_files)};
    Status filled = stage.fill(std::move(given), request_.files);
    request_.input = JsonValue();  // frees what can be as large as the request
    request_.config = JsonValue();
    return filled;
  }

  // Opens the door for the script's standard input, if the request has one.
  Status open_input(std::optional<StandardInput>& input) {
    if (!request_.takes_input()) return done();
    BAND_CHECK(job_.input->open());
    const auto kind = request_.terminal ? StandardInput::Kind::Terminal : StandardInput::Kind::Pipe;
    input.emplace(*job_.input, std::move(made_->input), kind);
    return done();
  }

  view::Who who() const { return {slot_.uid(), slot_.gid()}; }

  // Returns false when the client has disconnected or the execution is cancelled.
  std::function<bool()> go_on() const {
    return [this] {
      pollfd cancelled{job_.cancellation->event.get(), POLLIN, 0};
      return !reply_.gone() && ::poll(&cancelled, 1, 0) == 0;
    };
  }

  static std::string write_only(const view::Stage& stage) {
    for (const view::DeclaredMount& mount : stage.declared())
      if (mount.writable && !mount.readable) return mount.path;
    return "";
  }

  static void take_logs(const Log& out, const Log& err, Answer& answer) {
    answer.stdout_log = out.kept();
    answer.stderr_log = err.kept();
    answer.stdout_cut = out.cut();
    answer.stderr_cut = err.cut();
  }

  Status take_changes(const view::Stage& stage, const policy::ExecutionPlan& plan, Record& record, Answer& answer) {
    BAND_TRY(view::Changes changes,
             view::collect_changes(stage.workspace(), {request_.files, stage.copied()}, plan.rules.write,
                                   std::min<std::int64_t>(plan.limits.maxDiskBytes, kMaxCarriedBytes),
                                   std::min<std::int64_t>(plan.limits.maxFiles, kMaxWireFiles)));
    if (changes.too_much) return too_much_written(plan.at_ceiling, plan.limits, changes.bytes, changes.count);
    for (const ShippedFile& file : changes.files) {
      record.ledger().add(ledger::FileWritten{file.path, file.content.size()});
      record.insists().file_written(file.path, false);
    }
    for (const std::string& path : changes.unchanged) record.insists().file_unchanged(path);
    note_what_stays(changes, record);
    answer.metrics.changedFiles = static_cast<std::int64_t>(changes.files.size());
    answer.files = std::move(changes.files);
    answer.not_written = std::move(changes.not_written);
    answer.refused = std::move(changes.refused);
    answer.removed = std::move(changes.removed);
    answer.renamed = std::move(changes.renamed);
    answer.mode_changed = std::move(changes.mode_changed);
    answer.unnamed = changes.unnamed;
    answer.home_files = view::home_files(stage.work());
    return done();
  }

  // The run has already failed with `error`; a failure to keep its files is only added to the hint.
  static void keep_partial(const Status& kept, Error& error) {
    if (kept.ok()) return;
    error.hint +=
        (error.hint.empty() ? "" : "; ") + ("files of the failed run are not kept: " + kept.error().message());
  }

  static void note_what_stays(const view::Changes& changes, Record& record) {
    using Stayed = ledger::Stayed;
    for (const std::string& path : changes.removed) record.ledger().add(Stayed{Stayed::Act::Removed, path});
    for (const RenamedFile& file : changes.renamed)
      record.ledger().add(Stayed{Stayed::Act::Renamed, file.from, file.to});
    for (const std::string& path : changes.mode_changed) record.ledger().add(Stayed{Stayed::Act::ModeChanged, path});
  }

  // With net rules the gateway reports each packet that the kernel logged. The kernel drops log entries in a flood,
  // which could hide a refusal, so the total of the counters is recorded, too.
  static Status note_refused_packets(const Network& network, Record& record) {
    BAND_TRY(const firewall::Counters counters, network.counters());
    const std::uint64_t packets = counters.refused_packets;
    if (packets == 0) return done();
    if (!network.serves()) {
      record.ledger().add(ledger::RefusedPackets{packets});
    } else if (packets > record.packets()) {
      record.ledger().add(
          {"net",
           "refused " + ledger::packets(packets) + " in total (packets at a high rate are not listed one by one)",
           Json{{"refusedPackets", packets}}});
    }
    return done();
  }

  void note_usage(const Course& course, const slot::Usage& usage, Metrics& metrics) const {
    metrics.cpuMs = static_cast<double>(course.cpu_us) / 1000.0;
    metrics.maxMemoryBytes = usage.peak_bytes;
    metrics.shippedFiles = static_cast<std::int64_t>(request_.files.size());
  }

  void note_times(Metrics& metrics) const {
    const StepTimes& steps = metrics.steps = clock_.steps();
    metrics.setupMs = steps.slot + steps.chain + steps.stage + steps.views + steps.start;
    metrics.runMs = steps.script;
    metrics.teardownMs = steps.teardown;
  }

  slot::Slot& slot_;
  const Site& site_;
  const Job& job_;
  ExecRequest& request_;
  ReplyWriter& reply_;
  Mask mask_;
  std::unique_ptr<Prepared> made_;
  bool began_to_make_ = false, script_started_ = false;
  StepClock clock_;
};

}  // namespace

Outcome execute(slot::Slot& slot, const Site& site, const Job& job, ExecRequest request, ReplyWriter& reply,
                std::unique_ptr<Prepared> warm) {
  return Execution(slot, site, job, request, reply, std::move(warm)).run();
}

}  // namespace band::run
