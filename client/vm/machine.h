// band's virtual machine, from nothing to a server that proves itself. Each step looks first and does what is missing,
// so that what was interrupted anywhere is taken up again.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "client/targets/targets.h"
#include "client/vm/guest_server.h"
#include "client/vm/show.h"
#include "schemas/core/result.h"

namespace band::client::vm {

// What `band setup` was asked for; nullopt: Lima's template has it, or the machine that is there.
struct Wanted {
  std::string name = "band";
  std::optional<int> cpus, memory_gib, disk_gib;
  bool force = false;  // what is there is deleted first
  int drain_s = 300;   // how long an older server may take for what it runs
};

// Does the server of `target` prove itself now?
using Works = std::function<Status(const Target& target)>;

struct SetUp {
  Target target;
  bool changed = false;
};
// `there`: the target as it is set up, if it is. When the machine runs, the target works and its server is of this
// client's source, that takes one `limactl list` and one proof.
Result<SetUp> set_up(const Wanted& wanted, const std::optional<Target>& there, const Works& works, const Show& show);

// Installs the npm package of Claude Code in the guest, unless it is there: as /usr/bin/claude, where the server looks
// for commands.
Status install_claude(const std::string& name, const Show& show);

// Starts the machine of a target whose server does not answer, and waits until it does. Several callers at once: one
// starts it. Returns the target as it is stored by then. Errors: Code::ServerUnreachable with what to do.
Result<Target> bring_up(const Target& target, const Works& works, const Show& show);

Status halt(const std::string& name, const Show& show);  // as when its power button is pressed; fine when it is stopped
Status remove(const std::string& name, const Show& show);  // with its disk; fine when there is none

// Sets the guest's clock to this machine's.
Status set_clock(const std::string& name);

}  // namespace band::client::vm
