// Sets up band's virtual machine, until its server proves its identity. Each step first checks the state and
// does only what is missing, so that an interrupted setup can be continued.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "client/targets/targets.h"
#include "client/vm/guest_server.h"
#include "client/vm/show.h"
#include "schemas/core/result.h"

namespace band::client::vm {

// The options of `band setup`; nullopt: the value of Lima's template or of the existing machine.
struct Wanted {
  std::string name = "band";
  std::optional<int> cpus, memory_gib, disk_gib;
  bool force = false;  // first delete the existing machine
  int drain_s = 300;   // how long to wait for executions of an older server
};

// Returns whether the server of `target` can now prove its identity.
using Works = std::function<Status(const Target& target)>;

struct SetUp {
  Target target;
  bool changed = false;
};
// `there`: the existing target, if any. If the machine runs, the target works and its server has this client's source,
// this costs one `limactl list` and one proof.
Result<SetUp> set_up(const Wanted& wanted, const std::optional<Target>& there, const Works& works, const Show& show);

// Installs the npm package of Claude Code in the guest as /usr/bin/claude, where the server finds commands, unless it
// is already installed.
Status install_claude(const std::string& name, const Show& show);

// Starts the machine of a target whose server does not respond, and waits until it responds. Of several concurrent
// callers, one starts it. Returns the target as it is then stored. Errors: Code::ServerUnreachable, with a remedy.
Result<Target> bring_up(const Target& target, const Works& works, const Show& show);

Status halt(const std::string& name,
            const Show& show);  // a regular shutdown, as by the power button; succeeds if it is already stopped
Status remove(const std::string& name, const Show& show);  // deletes its disk, too; succeeds if there is none

// Sets the guest's clock to the time of this machine.
Status set_clock(const std::string& name);

}  // namespace band::client::vm
