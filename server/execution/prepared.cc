#include "server/execution/prepared.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "server/base/io.h"
#include "server/layout/places.h"
#include "server/policy/prelude.h"

namespace band::run {
namespace {

// Wait for the killed gateway process while other processes are dying. It cannot succeed if they hold sockets in the
// slot's network namespace, so it is short.
constexpr int kCutMs = 1'000;

view::StagePlan stage_plan(const Making& how, const view::FloorTree* tree) {
  const policy::SandboxPlan& plan = how.plan;
  view::StagePlan stage{tree,
                        how.mounts.script_place(),
                        {how.slot.uid(), how.slot.gid()},
                        plan.limits.maxDiskBytes,
                        plan.limits.maxFiles,
                        plan.limits.maxOutputBytes,
                        how.terminal.has_value(),
                        plan.commands.shimmed,
                        plan.commands.shimmed,
                        policy::prelude(plan.commands)};
  for (const DeclaredCommand& command : plan.commands.declared) stage.shims.push_back(command.name);
  return stage;
}

// Sets `input` to the engine's end of standard input, and returns the script's end.
Result<Sandbox::Streams> open_streams(const Making& how, base::Fd& input) {
  Sandbox::Streams streams;
  if (how.terminal) {
    BAND_TRY(streams.terminal, open_terminal(how.slot, *how.terminal));
    input.reset(::fcntl(streams.terminal->ours.get(), F_DUPFD_CLOEXEC, 3));
    if (!input) return layer_error("run", "cannot duplicate the descriptor of a terminal", errno);
  } else if (how.takes_input) {
    BAND_TRY(Pipe pipe, slot_pipe(how.slot, Flows::In));
    input = std::move(pipe.write);
    streams.input = std::move(pipe.read);
  }
  return streams;
}

init::Setup script_setup(const Making& how, const view::Stage& stage) {
  init::Setup setup = common_setup(how.slot, how.plan);
  setup.directory = layout::kWork;
  setup.landlock = {stage.paths(), tcp_of(how.plan)};
  setup.terminal = how.terminal.has_value();
  // /dev/stderr is a link to it; the terminal has no other path in the view.
  if (setup.terminal) setup.landlock.paths.push_back({"/proc/self/fd/0", layout::Access::Device});
  return setup;
}

// c-ares reads these files when a gateway process starts (server/gateway/cage.cc).
std::string state_of_gateway_files() {
  std::string state;
  for (const char* path : {"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf"}) {
    struct stat info {};
    if (::stat(path, &info) != 0) info = {};
    for (const std::int64_t number :
         {static_cast<std::int64_t>(info.st_dev), static_cast<std::int64_t>(info.st_ino),
          static_cast<std::int64_t>(info.st_size), static_cast<std::int64_t>(info.st_mtim.tv_sec),
          static_cast<std::int64_t>(info.st_mtim.tv_nsec), static_cast<std::int64_t>(info.st_ctim.tv_sec),
          static_cast<std::int64_t>(info.st_ctim.tv_nsec)})
      state += std::to_string(number) + " ";
  }
  return state;
}

bool lives(const Prepared& prepared) {
  const auto& holder = prepared.commands.holder;
  return prepared.sandbox && prepared.sandbox->lives() && (!holder || holder->lives()) && prepared.network->lives();
}

}  // namespace

Status make(Prepared& into, const Making& how) {
  const policy::SandboxPlan& plan = how.plan;
  if (plan.gateway) into.gateway_files = state_of_gateway_files();  // before its process reads them
  BAND_TRY(const std::string id, random_hex(8));
  BAND_TRY(into.network, Network::start({how.slot.uid(), id, plan.gateway, how.site.gateway}));
  how.clock.went_to(&StepTimes::chain);
  BAND_TRY(into.floor, how.site.floors->current());
  BAND_TRY(const view::FloorTree* const tree, how.mounts.tree_of(into.floor));
  const view::Who who{how.slot.uid(), how.slot.gid()};
  BAND_TRY(into.declared, view::open_declared(plan.rules, how.site.config.ceiling, who, how.go_on));
  BAND_TRY(into.stage, view::make_stage(stage_plan(how, tree), std::move(into.declared.mounts)));
  how.clock.went_to(&StepTimes::stage);
  if (how.first_made) how.first_made();
  BAND_CHECK(make_room(how.slot, plan, 0));
  BAND_TRY(Sandbox::Streams streams, open_streams(how, into.input));
  const dev_t terminal = streams.terminal ? streams.terminal->device : 0;
  BAND_TRY(into.sandbox, Sandbox::start(how.site.zygote, how.slot, into.stage.root(), std::move(streams)));
  BAND_CHECK(into.sandbox->send_setup(script_setup(how, into.stage)));
  BAND_TRY(into.commands, make_command_view({how.slot, how.mounts, how.site, plan, into.stage, terminal}));
  how.clock.went_to(&StepTimes::views);
  return done();
}

bool is_current(const Prepared& prepared, const Site& site, const policy::SandboxPlan& plan) {
  if (!lives(prepared)) return false;
  const auto floor = site.floors->current();
  if (!floor.ok() || *floor != prepared.floor) return false;
  const auto commands = floor_of_commands(site, plan.commands);
  if (!commands.ok() || *commands != prepared.commands.floor) return false;
  return !plan.gateway || state_of_gateway_files() == prepared.gateway_files;
}

Error late(const char* what) {
  return layer_error(
      "run", std::string("the execution's ") + what + " did not end within 5 s after the kill", 0,
      "check whether the script maps gigabytes of memory, or uses files of a network server that does not respond; the "
      "answer has no output, and the slot is not used until all processes of the execution have ended");
}

Status end_network(Prepared& prepared, Dying& dying) {
  std::unique_ptr<Network>& network = prepared.network;
  if (!network || (network->finished() && dying.empty())) return done();
  // Also with dying processes the gateway process is killed immediately: a script that dies slowly cannot send data.
  const bool ended = network->end(dying.empty() ? kDeathMs : kCutMs);
  if (ended && dying.empty()) return done();
  dying.add(std::move(network));
  return late("network");
}

void end_views(Prepared& prepared, Dying& dying) {
  for (std::optional<Sandbox>* each : {&prepared.commands.holder, &prepared.sandbox}) {
    if (!*each || (*each)->end(kDeathMs)) continue;
    dying.add(std::move(**each));
    each->reset();
  }
}

Status remove(std::unique_ptr<Prepared> prepared) {
  if (!prepared || !prepared->network) return done();
  if (!prepared->network->end(kDeathMs)) return late("network");
  return prepared->network->remove();
}

Status discard(std::unique_ptr<Prepared> prepared, Dying& dying) {
  end_views(*prepared, dying);
  const Status ended = end_network(*prepared, dying);
  const Status removed = remove(std::move(prepared));
  return ended.ok() ? removed : ended;
}

}  // namespace band::run
