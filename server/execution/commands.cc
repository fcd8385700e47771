#include "server/execution/commands.h"

#include "server/broker/environment.h"

namespace band::run {
namespace {

// Called by the broker when a command starts.
broker::Config::Environment environment_of(const policy::ExecutionPlan& plan, const floor::CommandFloor& floor,
                                           const broker::Request& request) {
  const broker::EnvironmentPlan of{plan.env, plan.rules.env};
  broker::Config::Environment environment;
  environment.variables = broker::command_environment(of, request.name, request.directory, request.env,
                                                      floor.commands.at(request.name).env);
  environment.not_passed = broker::not_passed(of, request.env, environment.variables);
  return environment;
}

}  // namespace

Result<std::unique_ptr<Commands>> Commands::serve(const Parts& parts, CommandView view) {
  BAND_TRY(CommandRules rules, CommandRules::compile(parts.plan.rules.cli, parts.plan.commands));
  broker::Config config{std::move(rules), {}, {}, parts.plan.limits.maxProcesses};
  config.make_room = [&slot = parts.slot, &plan = parts.plan](std::size_t running) {
    return make_room(slot, plan, running);
  };
  if (view.floor) {
    for (const auto& [name, command] : view.floor->commands) config.offers.push_back({name, command.argv});
    config.environment = [&plan = parts.plan, floor = view.floor](const broker::Request& request) {
      return environment_of(plan, *floor, request);
    };
  }
  broker::Broker broker(std::move(view.door), std::move(config), parts.witness);
  return std::make_unique<Commands>(std::move(broker), std::move(view), parts.files);
}

Commands::Commands(broker::Broker broker, CommandView view, FileWitness* files)
    : view_(std::move(view)), broker_(std::move(broker)), files_(files), ready_(!view_.holder) {
  if (ready_) broker_.serve(-1);
}

Status Commands::on_control_readable() {
  auto report = view_.holder->next_report();
  if (!report.ok()) return report.error();
  using Kind = init::Report::Kind;
  switch (static_cast<Kind>(report->kind)) {
    case Kind::Ready: {
      const base::Fd root = view_.holder->take_root();
      return files_ != nullptr ? files_->enter(root.get()) : done();
    }
    case Kind::Started:
      ready_ = true;
      broker_.serve(view_.holder->control());
      return done();
    case Kind::Failed:
      return layer_error(report->layer, report->text, static_cast<int>(report->code));
    case Kind::CommandEnded:
      broker_.ended(*report);
      return done();
    case Kind::Ended:
      break;
  }
  return layer_error("run", "protocol error: unexpected Ended report from band-init of the command view", 0);
}

bool Commands::end(int ms) {
  if (!view_.holder) return true;
  const bool dead = view_.holder->end(ms);
  // The reports of dead wardens are still in the socket, followed by EOF.
  while (dead) {
    const auto report = view_.holder->next_report();
    if (!report.ok()) break;
    if (report->kind == static_cast<std::uint32_t>(init::Report::Kind::CommandEnded)) broker_.ended(*report);
  }
  broker_.all_ended();
  return dead;
}

}  // namespace band::run
