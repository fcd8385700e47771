// Detects, installs and replaces the band server in the guest (the system in the virtual machine).
#pragma once

#include <functional>
#include <string>

#include "client/vm/limactl.h"
#include "client/vm/show.h"
#include "schemas/core/result.h"

namespace band::client::vm {

// The files from which a machine is created: ../share/band/lima, relative to the directory of the executable. Error of
// guest_files(): Code::Usage.
struct GuestFiles {
  std::string directory, digest;  // `digest`: the digest of the server's source
  std::string file(const char* name) const { return directory + "/" + name; }
};
Result<GuestFiles> guest_files();

// Returns whether the guest has the server with the digest of `files`, and systemd runs it.
Result<bool> has_server(const Limactl& lima, const GuestFiles& files);

// Installs the server. If distribution, release and architecture of the guest are those of this machine, this machine's
// programs are copied into the guest. Otherwise, or if these programs do not run in the guest, the server is compiled
// in the guest. A server that already runs in the guest continues to serve until the new one is ready to start; the old
// server then has `drain_s` seconds to finish its executions. `begin` is called when an action begins, with a
// description of the action and its usual duration. Error: Code::ServerBusy when an execution did not end within
// `drain_s` seconds; in this case the new server is not started, and the old one continues to serve.
using Begin = std::function<void(const std::string& what, std::chrono::seconds usual)>;
Status install_server(const Limactl& lima, const GuestFiles& files, int drain_s, const Begin& begin, const Show& show);

// Waits until the server runs no execution, for at most `drain_s` seconds. While it waits, and for some seconds after
// that, the server starts no new execution. Error: Code::ServerBusy, as from install_server().
Status drain_server(const Limactl& lima, int drain_s, const Show& show);

// The path in the guest of the log of all installations by this client.
inline constexpr const char* kInstallLog = "/var/log/band-install.log";
// Maximum duration of an installation, in milliseconds; compiling takes an hour on a slow machine.
inline constexpr int kInstallMs = 2 * 3600 * 1000;
// Shows the last 40 lines of a log file of the guest with `show.note`. Shows nothing if the guest does not respond.
void note_log(const Limactl& lima, const std::string& file, const Show& show);

}  // namespace band::client::vm
