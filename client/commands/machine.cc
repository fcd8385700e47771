#include "client/commands/machine.h"

#include "client/commands/commands.h"
#include "client/commands/connect.h"
#include "client/commands/machine_show.h"
#include "client/commands/server_facts.h"
#include "client/transport/daemon.h"
#include "client/vm/machine.h"
#include "schemas/wire/names.h"

namespace band::client {
namespace {

constexpr int kMostCpus = 256, kMostGib = 4096, kMostDrain = 24 * 3600;

Status take_number(const std::optional<std::string>& given, const char* flag, const char* unit, int least, int most,
                   std::optional<int>& number) {
  if (!given) return done();
  BAND_TRY(number, number_of_flag(flag, *given, least, most, unit));
  return done();
}

// Without --name, the wanted machine is the machine of target local-lima, if this target exists.
Result<vm::Wanted> wanted_of(const CommandLine& line, const std::optional<Target>& there) {
  vm::Wanted wanted;
  if (there && !there->vm.empty()) wanted.name = there->vm;
  if (line.name) wanted.name = *line.name;
  if (!is_script_name("x/" + wanted.name) || wanted.name.ends_with(".yaml") || wanted.name.ends_with(".yml"))
    return Error{.code = Code::Usage, .doing = "\"" + wanted.name + "\" cannot be a machine's name", .hint = kNameRule};
  BAND_CHECK(take_number(line.cpus, "cpus", "processors", 1, kMostCpus, wanted.cpus));
  BAND_CHECK(take_number(line.memory, "memory", "GiB", 1, kMostGib, wanted.memory_gib));
  BAND_CHECK(take_number(line.disk, "disk", "GiB", 5, kMostGib, wanted.disk_gib));
  std::optional<int> drain;
  BAND_CHECK(take_number(line.drain, "drain", "seconds", 0, kMostDrain, drain));
  wanted.drain_s = drain.value_or(wanted.drain_s);
  for (const std::string& with : line.with)
    if (with != "claude")
      return Error{.code = Code::Usage, .doing = "--with does not support " + with, .hint = "use --with claude"};
  wanted.force = line.force;
  return wanted;
}

// Checks that the target's server is the installed one, and that all its layers are active. A layer is not active if
// the kernel does not support it.
Status check_server(const Target& target) {
  Daemon daemon(target);
  BAND_CHECK(daemon.prove());
  BAND_TRY(const ServerFacts facts, server_facts(daemon));
  if (facts.build.source != target.source)
    return Error{.code = Code::SandboxUnavailable,
                 .doing = "the server in the virtual machine is not the one that was installed",
                 .hint = "`band setup` installs it again; the programs and share/band/lima must be of the same build"};
  if (facts.inactive.empty()) return done();
  return Error{.code = Code::SandboxUnavailable,
               .doing = "a layer of the server is not active: " + facts.inactive.front(),
               .hint = "`band status` shows all of them"};
}

std::optional<Target> there() {
  auto target = load_target(std::string(kLima));
  if (target.ok()) return std::move(target).value();
  return std::nullopt;
}

Result<Target> target_with_machine(const CommandLine& line) {
  BAND_TRY(const std::string name, target_name(line.target));
  if (kind_of(name) != kLima)
    return Error{.code = Code::Usage,
                 .doing = "target " + name + " does not run in a virtual machine of band",
                 .hint = name == kLocal ? "its server is a service of this machine: `sudo band-server start`, `stop`"
                                        : "start or stop it on its own machine"};
  return load_target(name);
}

}  // namespace

int setup_machine(const CommandLine& line, Terminal& terminal) {
  const auto before = there();
  const auto wanted = wanted_of(line, before);
  if (!wanted.ok()) return fail(line, terminal, wanted.error());
  MachineShow shown(terminal);
  const auto set = vm::set_up(*wanted, before, proves, shown.show());
  if (!set.ok()) return shown.end_step(), fail(line, terminal, set.error());
  if (set->changed) {
    if (const Status active = check_server(set->target); !active.ok())
      return shown.end_step(), fail(line, terminal, active.error());
    if (const Status saved = save_target(set->target); !saved.ok())
      return shown.end_step(), fail(line, terminal, saved.error());
  }
  if (!line.with.empty())
    if (const Status installed = vm::install_claude(set->target.vm, shown.show()); !installed.ok())
      return shown.end_step(), fail(line, terminal, installed.error());
  shown.end_step();
  if (before && before->vm != set->target.vm && !before->vm.empty())
    terminal.note("note: target local-lima is the machine \"" + set->target.vm + "\" now; \"" + before->vm +
                  "\" still exists; to delete it: LIMA_HOME=" + vm::Limactl::home() + " limactl delete -f " +
                  before->vm);
  const int code = print_target(
      line, terminal,
      {set->target.name, set->target.url,
       set->changed ? " is set up, in the virtual machine \"" + set->target.vm + "\"" : " was set up already",
       set->changed});
  if (set->changed) terminal.note("next: band list; band run hello/greet --name World");
  return code;
}

int teardown_machine(const CommandLine& line, Terminal& terminal) {
  const auto target = there();
  MachineShow shown(terminal);
  const std::string name = line.name.value_or(target ? target->vm : vm::Wanted().name);
  if (const Status removed = vm::remove(name, shown.show()); !removed.ok())
    return fail(line, terminal, removed.error());
  shown.end_step();
  if (target && target->vm != name)
    return terminal.note("the virtual machine \"" + name + "\" was removed; target local-lima uses \"" + target->vm +
                         "\", which was kept"),
           0;
  if (const Status removed = remove_target(std::string(kLima)); !removed.ok())
    return fail(line, terminal, removed.error());
  terminal.note("target local-lima and its virtual machine \"" + name + "\" were removed");
  return 0;
}

int start_command(const CommandLine& line, Terminal& terminal) {
  const auto target = target_with_machine(line);
  if (!target.ok()) return fail(line, terminal, target.error());
  MachineShow shown(terminal);
  const auto up = vm::bring_up(*target, proves, shown.show());
  shown.end_step();
  if (!up.ok()) return fail(line, terminal, up.error());
  terminal.note("target " + up->name + " runs: " + up->url);
  return 0;
}

int stop_command(const CommandLine& line, Terminal& terminal) {
  const auto target = target_with_machine(line);
  if (!target.ok()) return fail(line, terminal, target.error());
  MachineShow shown(terminal);
  const Status halted = vm::halt(target->vm, shown.show());
  shown.end_step();
  if (!halted.ok()) return fail(line, terminal, halted.error());
  terminal.note("the virtual machine \"" + target->vm + "\" is stopped; `band run` and `band start` start it");
  return 0;
}

}  // namespace band::client
