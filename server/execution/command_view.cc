#include "server/execution/command_view.h"

#include <sys/socket.h>

#include <cerrno>

#include "server/broker/environment.h"
#include "server/limits/limits.h"

namespace band::run {
namespace {

// band's own processes that the slot's control group counts in addition to the script's: band-init of each view; for
// commands, two idle wardens, and some wardens whose command has exited and that have not exited yet.
std::int64_t own_processes(const policy::SandboxPlan& plan) {
  constexpr std::int64_t kView = 1, kSpares = 2, kEnding = 4;
  return plan.commands.empty() ? kView : kView + kView + kSpares + kEnding;
}

// The Landlock rules of a command: the paths of the script, but only the command's own program.
landlock::Ruleset domain_of(const std::string& name, const floor::Command& command, const view::CommandStage& stage,
                            landlock::Tcp tcp) {
  landlock::Ruleset domain{stage.paths(), tcp};
  domain.paths.insert(domain.paths.end(), command.paths.begin(), command.paths.end());
  domain.paths.push_back({broker::home_of(name), layout::Access::Own});
  return domain;
}

Result<Sandbox> start_holder(const CommandViewParts& parts, const CommandView& view) {
  init::Setup setup = common_setup(parts.slot, parts.plan);
  for (const auto& [name, command] : view.floor->commands)
    setup.domains.push_back(domain_of(name, command, view.stage, tcp_of(parts.plan)));
  BAND_TRY(Sandbox holder, Sandbox::start_holder(parts.site.zygote, parts.slot, view.stage.root()));
  // Space for some thousand unread orders: the kernel charges each with its buffers.
  const int room = 4 << 20;
  if (::setsockopt(holder.control(), SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof room) != 0)
    return layer_error("run", "cannot enlarge the send buffer of the holder's control socket", errno);
  BAND_CHECK(holder.send_setup(setup));  // the holder reads it when it has started
  return holder;
}

}  // namespace

landlock::Tcp tcp_of(const policy::SandboxPlan& plan) {
  return plan.gateway ? landlock::Tcp::Connect : landlock::Tcp::None;
}

init::Setup common_setup(const slot::Slot& slot, const policy::SandboxPlan& plan) {
  init::Setup setup;
  setup.ids = {slot.uid(), slot.gid()};
  setup.limits = limits::rlimits_of(plan.limits);
  // No filter for addresses: the firewall and the gateway restrict connect(2), and no process outside the network
  // namespace can connect to a bound port.
  return setup;
}

Status make_room(const slot::Slot& slot, const policy::SandboxPlan& plan, std::size_t running) {
  return slot.limit_processes(plan.limits.maxProcesses + own_processes(plan) + static_cast<std::int64_t>(running));
}

Result<std::shared_ptr<const floor::CommandFloor>> floor_of_commands(const Site& site, const CommandPlan& commands) {
  if (commands.empty()) return std::shared_ptr<const floor::CommandFloor>();
  return site.floors->for_commands(commands);
}

Result<CommandView> make_command_view(const CommandViewParts& parts) {
  CommandView view;
  BAND_TRY(view.door, broker::Door::open(parts.stage.band(), "broker", parts.slot.uid(), parts.terminal));
  BAND_TRY(view.floor, floor_of_commands(parts.site, parts.plan.commands));
  if (!view.floor) return view;
  const floor::CommandFloor& floor = *view.floor;
  BAND_TRY(const view::FloorTree* const tree, parts.mounts.tree_of(view.floor));
  const view::CommandStagePlan plan{tree, parts.mounts.command_place(), floor.tops, floor.directories};
  BAND_TRY(view.stage, view::CommandStage::build(plan, parts.stage));
  BAND_TRY(view.holder, start_holder(parts, view));
  return view;
}

}  // namespace band::run
