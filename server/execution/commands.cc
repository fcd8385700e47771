#include "server/execution/commands.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "server/broker/environment.h"
#include "server/layout/places.h"

namespace band::run {
namespace {

// Processes of ours that the slot's group counts beside the script's: of each view bubblewrap and band-init; of
// commands two wardens that wait and, for the moments between a command's end and that of its warden, some more.
std::int64_t own_processes(const policy::ExecutionPlan& plan) {
  constexpr std::int64_t kView = 2, kSpares = 2, kEnding = 4;
  return plan.commands.empty() ? kView : kView + kView + kSpares + kEnding;
}

// What a command may open: what the script may, but of the programs only its own.
landlock::Ruleset domain_of(const std::string& name, const floor::Command& command, const view::CommandStage& stage,
                            landlock::Tcp tcp) {
  landlock::Ruleset domain{stage.paths(), tcp};
  domain.paths.insert(domain.paths.end(), command.paths.begin(), command.paths.end());
  domain.paths.push_back({broker::home_of(name), layout::Access::Own});
  return domain;
}

}  // namespace

Result<std::unique_ptr<Commands>> Commands::start(const Parts& parts) {
  BAND_TRY(CommandRules rules, CommandRules::compile(parts.plan.rules.cli, parts.plan.commands));
  broker::Config config{std::move(rules), {}, {}, parts.plan.limits.maxProcesses};
  config.make_room = [&slot = parts.slot, most = parts.plan.limits.maxProcesses,
                      own = own_processes(parts.plan)](std::size_t running) {
    return slot.limit_processes(most + own + static_cast<std::int64_t>(running));  // each has a warden
  };
  BAND_CHECK(config.make_room(0));
  BAND_TRY(broker::Door door, broker::Door::open(parts.stage.band(), "broker", parts.slot.uid(), parts.terminal));
  if (!parts.floor)
    return std::make_unique<Commands>(broker::Broker(std::move(door), std::move(config), parts.witness));
  BAND_TRY(View view, start_view(parts, config));
  broker::Broker broker(std::move(door), std::move(config), parts.witness);
  return std::make_unique<Commands>(std::move(broker), std::move(view), parts.files);
}

Commands::Commands(broker::Broker broker) : broker_(std::move(broker)), ready_(true) { broker_.serve(-1); }

Commands::Commands(broker::Broker broker, View view, FileWitness* files)
    : floor_(std::move(view.floor)),
      stage_(std::move(view.stage)),
      sandbox_(std::move(view.sandbox)),
      errors_(sandbox_->take_stderr()),
      setup_(std::move(view.setup)),
      broker_(std::move(broker)),
      files_(files) {
  sandbox_->take_stdout();
}

Result<Commands::View> Commands::start_view(const Parts& parts, broker::Config& config) {
  const std::shared_ptr<const floor::CommandFloor>& floor = parts.floor;
  BAND_TRY(auto stage,
           view::CommandStage::build({floor->path, parts.place, floor->tops, floor->directories}, parts.stage));
  init::Setup setup;
  setup.ids = parts.script.ids;
  setup.limits = parts.script.limits;
  setup.filter = parts.script.filter;
  for (const auto& [name, command] : floor->commands) {
    setup.domains.push_back(domain_of(name, command, stage, parts.script.landlock.tcp));
    config.offers.push_back({name, command.argv});
  }
  config.environment = [&script = parts.plan, floor](const broker::Request& request) {
    const broker::EnvironmentPlan plan{script.env, script.rules.env};
    broker::Config::Environment environment;
    environment.variables = broker::command_environment(plan, request.name, request.directory, request.env,
                                                        floor->commands.at(request.name).env);
    environment.not_passed = broker::not_passed(plan, request.env, environment.variables);
    return environment;
  };
  BAND_TRY(Sandbox sandbox, Sandbox::start(parts.slot, stage.root(), view::Holds::Commands));
  // Orders that wait to be read: some thousands, each of which the kernel counts with its buffers.
  const int room = 4 << 20;
  if (::setsockopt(sandbox.control(), SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof room) != 0)
    return layer_error("run", "make room for orders to the holder", errno);
  return View{floor, std::move(stage), std::move(sandbox), std::move(setup)};
}

Status Commands::on_control_readable() {
  auto report = sandbox_->next_report();
  if (!report.ok()) return lost() && !ready_ ? reason_of_silence(report.error()) : report.error();
  using Kind = init::Report::Kind;
  switch (static_cast<Kind>(report->kind)) {
    case Kind::Ready: {
      const base::Fd root = sandbox_->take_root();
      if (files_ != nullptr) BAND_CHECK(files_->enter(root.get()));
      return sandbox_->send_setup(setup_);
    }
    case Kind::Started:
      ready_ = true;
      broker_.serve(sandbox_->control());
      return done();
    case Kind::Failed:
      return layer_error(report->layer, report->text, static_cast<int>(report->code));
    case Kind::CommandEnded:
      broker_.ended(*report);
      return done();
    case Kind::Ended:
      break;
  }
  return layer_error("run", "the commands' band-init spoke of a script", 0);
}

// The holder never started: that is bubblewrap's failure, and its reason is on stderr. Of that only what is there now:
// bubblewrap's first process ends later than the one that failed.
Error Commands::reason_of_silence(const Error& error) const {
  char said[500];
  const ssize_t n = ::read(errors_.get(), said, sizeof said);
  return n > 0 ? layer_error("view", std::string(said, static_cast<std::size_t>(n)), 0) : error;
}

Sandbox Commands::take_sandbox() {
  Sandbox taken = std::move(*sandbox_);
  sandbox_.reset();
  return taken;
}

bool Commands::end(int ms) {
  if (!sandbox_) return true;
  const bool dead = sandbox_->end(ms);
  // What wardens have said is in the socket and outlives them; behind it comes the end of file.
  while (dead) {
    const auto report = sandbox_->next_report();
    if (!report.ok()) break;
    if (report->kind == static_cast<std::uint32_t>(init::Report::Kind::CommandEnded)) broker_.ended(*report);
  }
  broker_.all_ended();
  return dead;
}

}  // namespace band::run
