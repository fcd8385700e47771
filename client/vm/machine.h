// Sets up band's virtual machine; the setup is complete when the server in it has proved that it has the hash of the
// target's token (client/transport/daemon.h). Each step of the setup first checks the state of the machine, and does
// only what has not been done. Therefore an interrupted setup can be continued.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "client/targets/targets.h"
#include "client/vm/guest_server.h"
#include "client/vm/show.h"
#include "schemas/core/result.h"

namespace band::client::vm {

// The options of `band setup`. nullopt means that an existing machine keeps its value, and that a new machine gets the
// value in lima/band.yaml.
struct Wanted {
  std::string name = "band";
  std::optional<int> cpus, memory_gib, disk_gib;
  bool force = false;  // delete the existing machine first
  int drain_s = 300;   // maximum time, in seconds, to wait for the end of executions before the server is stopped
};

// Returns success when the server of `target` proves now that it has the hash of the target's token.
using Works = std::function<Status(const Target& target)>;

struct SetUp {
  Target target;
  bool changed = false;  // false if everything was already set up
};
// Creates and starts the machine and installs its server, as far as this has not been done. `there`: the stored target,
// if the machine was set up before. If `there` has the machine's name, its forwarded port, and the digest of this
// client's server source, and `works` succeeds, nothing has to be done (unless `force` is set): set_up() then calls
// only `limactl list` and `works`. If the machine already runs, new values of `cpus` and `memory_gib` apply at its next
// start. The caller must store the returned target if `changed` is true. Holds the lock of the machine (see
// bring_up()). Progress and notes are passed to `show`.
// Errors: Code::NoVmSoftware, Code::Usage (Limactl::find(), guest_files()). Code::ServerBusy when an execution did not
// end within `drain_s` seconds; the old server then continues to serve. Code::SandboxUnavailable when limactl or a step
// in the guest fails. Code::ServerUnreachable when the server does not prove that it has the token's hash.
Result<SetUp> set_up(const Wanted& wanted, const std::optional<Target>& there, const Works& works, const Show& show);

// Installs the npm package of Claude Code in the guest as /usr/bin/claude, unless it is already installed. The server
// finds commands in /usr/bin.
Status install_claude(const std::string& name, const Show& show);

// Starts the machine of a target whose server does not respond, and waits until the server responds. All functions of
// this header except set_clock() hold a lock of the machine. The lock makes concurrent calls, also those of other
// processes, run one after the other, so only the first call starts the machine. When bring_up() has the lock, it reads
// the target's file again, because a `band setup` may have changed the file in the meantime. Returns the target that it
// has read. Errors: Code::ServerUnreachable, with a hint, when the machine does not exist, does not start, or its
// server does not respond. Code::SandboxUnavailable when the machine's configuration was changed, or no login in the
// guest succeeds.
Result<Target> bring_up(const Target& target, const Works& works, const Show& show);

// Shuts the guest's system down cleanly, as if the power button of the machine was pressed (ACPI). For a machine in
// State::Broken, kills Lima's processes instead (`limactl stop -f`). Succeeds if the machine is already stopped or does
// not exist.
Status halt(const std::string& name, const Show& show);
// Deletes the machine and its disk. Succeeds if the machine does not exist.
Status remove(const std::string& name, const Show& show);

// Sets the guest's clock to the time of this machine.
Status set_clock(const std::string& name);

}  // namespace band::client::vm
