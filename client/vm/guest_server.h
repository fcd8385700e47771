// Detects, installs and replaces the band server in the guest (the system in the virtual machine).
#pragma once

#include <functional>
#include <string>

#include "client/vm/limactl.h"
#include "client/vm/show.h"
#include "schemas/core/result.h"

namespace band::client::vm {

// The files from which a virtual machine is created: Lima's template, the source of the server, and the script that
// installs the server. They are in ../share/band/lima, relative to the directory of this program. guest_files() returns
// Code::Usage when they are not installed.
struct GuestFiles {
  std::string directory, digest;  // `digest`: SHA-256 (64 hex digits) of the source of the server in `directory`
  std::string file(const char* name) const { return directory + "/" + name; }
};
Result<GuestFiles> guest_files();

// Returns true when the server that is installed in the guest has the digest of `files`, and systemd runs it.
Result<bool> has_server(const Limactl& lima, const GuestFiles& files);

// Installs the server of `files`. If distribution, release and architecture of the guest are those of this machine, the
// programs of band on this machine are copied into the guest. Otherwise, or if these programs do not run in the guest,
// the server is compiled in the guest. A server that already runs in the guest continues to serve until the new one is
// ready to start; the old server then has `drain_s` seconds to finish its executions. Calls `begin` when an action
// begins, with a description and the usual duration of the action. Errors: Code::ServerBusy when an execution did not
// end within `drain_s` seconds; in this case the new server is not started, and the old one continues to serve.
// Code::SandboxUnavailable when the installation failed; `show.note` then receives the end of its log.
using Begin = std::function<void(const std::string& what, std::chrono::seconds usual)>;
Status install_server(const Limactl& lima, const GuestFiles& files, int drain_s, const Begin& begin, const Show& show);

// Waits until the server runs no execution, but not longer than `drain_s` seconds. The server starts no new execution
// during this time and some seconds longer. Error: Code::ServerBusy when an execution did not end within `drain_s`
// seconds.
Status drain_server(const Limactl& lima, int drain_s, const Show& show);

// The log of the installations that this client makes in the guest; a path in the guest.
inline constexpr const char* kInstallLog = "/var/log/band-install.log";
// Maximum duration of an installation, in milliseconds. Compiling the server takes an hour on a slow machine.
inline constexpr int kInstallMs = 2 * 3600 * 1000;
// Shows with `show.note` the last 40 lines of the guest's log file `file`. Shows nothing if the guest does not respond.
void note_log(const Limactl& lima, const std::string& file, const Show& show);

}  // namespace band::client::vm
