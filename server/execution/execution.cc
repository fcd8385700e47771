#include "server/execution/execution.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <optional>

#include "schemas/core/json.h"
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
#include "server/landlock/landlock.h"
#include "server/layout/places.h"
#include "server/limits/limits.h"
#include "server/policy/prelude.h"
#include "server/view/declared.h"
#include "server/view/stage.h"
#include "server/view/workspace.h"

namespace band::run {
namespace {

// Everything is dead long before. What takes longer is waited for when the answer is out (dying.h).
constexpr int kDeathMs = 5'000;
// Of the gateway's process, once it is killed; the sockets of what is dying stay in the slot's namespace.
constexpr int kCutMs = 1'000;

// The output that a script owes, then an interactive bash with what every script has (the prelude).
constexpr const char* kShellSession = R"(echo null >"$OUTPUT_PATH"
PS1='$BAND_SCRIPT:\w\$ ' exec bash --rcfile "$BASH_ENV" -i)";

double ms_between(std::int64_t from_us, std::int64_t to_us) { return static_cast<double>(to_us - from_us) / 1000.0; }

init::Setup inside_setup(const slot::Slot& slot, const Site& site, const policy::ExecutionPlan& plan,
                         const view::Stage& stage, const ExecRequest& request) {
  init::Setup inside;
  inside.ids = {slot.uid(), slot.gid()};
  inside.directory = layout::kWork;
  inside.argv = {layout::kShell, layout::script_file(request.script)};
  if (request.runs_shell()) inside.argv = {layout::kShell, "-c", kShellSession};
  inside.landlock = {stage.paths(), plan.gateway ? landlock::Tcp::Connect : landlock::Tcp::None};
  inside.terminal = request.terminal.has_value();
  // /dev/stderr leads to it, and no path of the view does.
  if (inside.terminal) inside.landlock.paths.push_back({"/proc/self/fd/0", layout::Access::Device});
  inside.env = plan.env;
  inside.env.push_back(std::string("BASH_ENV=") + layout::kPrelude);
  inside.limits = limits::rlimits_of(plan.limits);
  // What is connected to is the firewall's and the gateway's to say. Nobody outside could connect to what is bound.
  inside.filter = site.filter;
  return inside;
}

class Execution {
 public:
  Execution(slot::Slot& slot, const Site& site, const Job& job, ExecRequest& request, ReplyWriter& reply)
      : slot_(slot), site_(site), job_(job), request_(request), reply_(reply) {}

  Outcome run() {
    const std::int64_t began = base::monotonic_us();
    Outcome outcome;
    outcome.answer.id = job_.id;
    outcome.answer.metrics.queueMs = ms_between(job_.queued_us, began);
    Status status = steps(outcome);
    if (const Status ended = end_network(outcome); status.ok()) status = ended;
    if (!status.ok()) outcome.answer.error = status.error();
    if (outcome.answer.error) {  // a failed run returns nothing but its reasons
      outcome.answer.data = JsonValue();
      if (!request_.keep_partial) outcome.answer.files.clear();
    }
    mask_.answer(outcome.answer);
    const std::int64_t ended = base::monotonic_us();
    outcome.answer.metrics.totalMs = ms_between(job_.queued_us, ended);
    return outcome;
  }

 private:
  // On every path, when everything else of the execution is gone, or dying: then its network stays as it is, too.
  Status end_network(Outcome& outcome) {
    if (!network_) return done();
    outcome.had_network = network_->serves() || !outcome.dying.empty();
    // The gateway's process ends at once even then: nothing goes out for as long as a script chooses to die.
    const bool ended = network_->end(outcome.dying.empty() ? kDeathMs : kCutMs);
    if (ended && outcome.dying.empty()) return network_->remove();
    outcome.dying.add(std::move(network_));
    return late("network");
  }

  static Error late(const char* what) {
    return layer_error(
        "run", std::string("the execution's ") + what + " did not end within 5 s after it was killed", 0,
        "its output is left out, and its slot waits for the end; a script that maps gigabytes of memory, "
        "or a file of a network that does not answer, takes the kernel that long");
  }

  Status steps(Outcome& outcome) {
    Answer& answer = outcome.answer;
    const std::int64_t began = base::monotonic_us();
    BAND_TRY(policy::ExecutionPlan plan, policy::plan(request_, site_.config));
    mask_ = Mask(request_.terminal ? with_terminal_forms(plan.secrets) : plan.secrets);
    BAND_TRY(Record record, Record::open(plan.rules, mask_, reply_, began));
    const base::Undo tell([&] { answer.ledger = record.ledger().release(); });
    for (LedgerEntry& note : plan.notes) {
      if (note.kind == "limit") reply_.note("limit", note.text);  // before the script starts
      record.ledger().add(std::move(note));
    }
    BAND_CHECK(slot_.limit_memory(plan.limits.maxMemoryBytes));
    BAND_CHECK(job_.boost.apply());
    BAND_TRY(network_, Network::start({slot_.uid(), job_.id, plan.gateway, site_.gateway}));
    BAND_TRY(const auto floor, site_.floors->current());
    const auto go_on = [this] { return wanted(); };
    BAND_TRY(auto declared, view::open_declared(plan.rules, site_.config.ceiling, who(), go_on));
    for (LedgerEntry& note : declared.notes) record.ledger().add(std::move(note));
    BAND_TRY(const view::Stage stage, build_stage(*floor, plan, std::move(declared.mounts)));
    init::Setup inside = inside_setup(slot_, site_, plan, stage, request_);
    BAND_TRY(const auto files, FileWitness::call({plan.rules, stage.workspace(), stage.declared(), declared.links,
                                                  request_.files, who(), go_on, record}));
    job_.boost.sandbox_started();
    std::optional<StandardInput> input;
    BAND_TRY(Sandbox::Streams streams, open_streams(input));
    const dev_t terminal = streams.terminal ? streams.terminal->device : 0;
    BAND_TRY(const auto commands, start_commands(plan, stage, inside, record, files.get(), terminal));
    BAND_TRY(Sandbox sandbox, Sandbox::start(slot_, stage.root(), view::Holds::Script, std::move(streams)));
    reply_.line({{"event", "started"}, {"id", job_.id}});

    const auto sent = request_.sends_raw() ? Log::Sent::Whole : Log::Sent::Capped;
    Log out("stdout", sandbox.take_stdout(), mask_, sent), err("stderr", sandbox.take_stderr(), mask_, sent);
    const Course course = supervise({sandbox, out, err, reply_, *commands, *network_, record, job_.boost, files.get(),
                                     input ? &*input : nullptr, job_.cancellation, plan.limits.maxRuntimeMs},
                                    inside);
    const std::int64_t stopped = base::monotonic_us();
    const bool script_dead = sandbox.end(kDeathMs), commands_dead = commands->end(kDeathMs);
    if (!script_dead) outcome.dying.add(std::move(sandbox));
    if (!commands_dead) outcome.dying.add(commands->take_sandbox());
    if (!outcome.dying.empty()) return late("processes");

    // From here on nothing of the script runs.
    out.drain(reply_);
    err.drain(reply_);
    take_logs(out, err, answer);
    const slot::Usage usage = slot_.usage();
    const Status told = network_->finish(record);
    BAND_CHECK(note_refused_packets(record));  // without net rules they are all that tells judge of a refusal
    judge({course.ending, plan.at_ceiling, usage.oom_kills > 0, usage.refused_forks > 0, stage.out(),
           record.ledger().first_denied(), write_only(stage), view::room_left(stage.workspace()),
           record.ledger().first_failed()},
          plan.limits, answer);
    if (!answer.error) BAND_CHECK(told);
    Status held = stage.check_masks();
    if (!held.ok()) {
      record.ledger().add({"unmasked", held.error().message(), Json::object()});
      if (!answer.error) return held;
    }
    note_metrics(began, course, stopped, usage, answer);
    if (!answer.error && files) BAND_CHECK(files->finish());  // before we open files of the workspace ourselves
    if (answer.error && request_.keep_partial)
      return keep_partial(held.ok() ? take_changes(stage, plan, record, answer) : held, *answer.error), done();
    if (!answer.error) BAND_CHECK(take_changes(stage, plan, record, answer));
    if (!answer.error && !request_.runs_shell()) BAND_CHECK(record.insists().judge());
    return done();
  }

  // Where the script's input comes from, if it is to have one.
  Result<Sandbox::Streams> open_streams(std::optional<StandardInput>& input) {
    Sandbox::Streams streams;
    if (!request_.takes_input()) return streams;
    BAND_CHECK(job_.input->open());
    if (request_.terminal) {
      BAND_TRY(streams.terminal, open_terminal(slot_, request_.terminal->size));
      base::Fd ours(::fcntl(streams.terminal->ours.get(), F_DUPFD_CLOEXEC, 3));
      if (!ours) return layer_error("run", "duplicate a terminal", errno);
      input.emplace(*job_.input, std::move(ours), StandardInput::Kind::Terminal);
    } else {
      BAND_TRY(Pipe pipe, slot_pipe(slot_, Flows::In));
      input.emplace(*job_.input, std::move(pipe.write));
      streams.input = std::move(pipe.read);
    }
    return streams;
  }

  view::Who who() const { return {slot_.uid(), slot_.gid()}; }

  // Does anybody still wait for this?
  bool wanted() const {
    pollfd cancelled{job_.cancellation->event.get(), POLLIN, 0};
    return !reply_.gone() && ::poll(&cancelled, 1, 0) == 0;
  }

  std::string stage_place() const { return site_.config.run_dir + "/stage/" + std::to_string(slot_.index()); }

  Result<view::Stage> build_stage(const floor::Floor& floor, const policy::ExecutionPlan& plan,
                                  std::vector<view::DeclaredMount> declared) {
    view::StagePlan stage{floor.path,
                          stage_place(),
                          who(),
                          plan.limits.maxDiskBytes,
                          plan.limits.maxFiles,
                          plan.limits.maxOutputBytes,
                          request_.terminal.has_value(),
                          plan.commands.shimmed,
                          plan.commands.shimmed};
    for (const DeclaredCommand& command : plan.commands.declared) stage.shims.push_back(command.name);
    view::Given given{layout::script_file(request_.script), request_.source,         dump_json(request_.input),
                      dump_json(request_.config),           std::move(request_.lib), std::move(request_.skill_files),
                      policy::prelude(plan.commands)};
    return view::build_stage(stage, std::move(given), request_.files, std::move(declared));
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

  Result<std::unique_ptr<Commands>> start_commands(const policy::ExecutionPlan& plan, const view::Stage& stage,
                                                   const init::Setup& inside, Record& record, FileWitness* files,
                                                   dev_t terminal) {
    std::shared_ptr<const floor::CommandFloor> floor;
    if (!plan.commands.empty()) {
      BAND_TRY(floor, site_.floors->for_commands(plan.commands));
    }
    return Commands::start({slot_, plan, floor, stage, stage_place() + "/commands", inside, record, files, terminal});
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
    answer.removed = std::move(changes.removed);
    answer.renamed = std::move(changes.renamed);
    answer.mode_changed = std::move(changes.mode_changed);
    answer.unnamed = changes.unnamed;
    return done();
  }

  // That the files of a failed run cannot be had is not what it failed of.
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

  // With net rules the gateway tells of each that the kernel had room to log: behind a flood something could hide.
  Status note_refused_packets(Record& record) const {
    BAND_TRY(const firewall::Counters counters, network_->counters());
    const std::uint64_t packets = counters.refused_packets;
    if (packets == 0) return done();
    if (!network_->serves()) {
      record.ledger().add(ledger::RefusedPackets{packets});
    } else if (packets > record.packets()) {
      record.ledger().add(
          {"net", "refused " + ledger::packets(packets) + " in all (what came too fast is not told one by one)",
           Json{{"refusedPackets", packets}}});
    }
    return done();
  }

  void note_metrics(std::int64_t began, const Course& course, std::int64_t stopped, const slot::Usage& usage,
                    Answer& answer) {
    const std::int64_t started = course.started_us != 0 ? course.started_us : stopped;
    answer.metrics.setupMs = ms_between(began, started);
    answer.metrics.runMs = ms_between(started, stopped);
    answer.metrics.teardownMs = ms_between(stopped, base::monotonic_us());
    answer.metrics.cpuMs = static_cast<double>(course.cpu_us) / 1000.0;
    answer.metrics.maxMemoryBytes = usage.peak_bytes;
    answer.metrics.shippedFiles = static_cast<std::int64_t>(request_.files.size());
  }

  slot::Slot& slot_;
  const Site& site_;
  const Job& job_;
  ExecRequest& request_;
  ReplyWriter& reply_;
  Mask mask_;
  std::unique_ptr<Network> network_;
};

}  // namespace

Outcome execute(slot::Slot& slot, const Site& site, const Job& job, ExecRequest request, ReplyWriter& reply) {
  return Execution(slot, site, job, request, reply).run();
}

}  // namespace band::run
