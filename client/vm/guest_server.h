// The band server in the guest: detecting, installing and replacing it.
#pragma once

#include <functional>
#include <string>

#include "client/vm/limactl.h"
#include "client/vm/show.h"
#include "schemas/core/result.h"

namespace band::client::vm {

// The files from which a machine is made, next to this program: ../share/band/lima. Errors: Code::Usage.
struct GuestFiles {
  std::string directory, digest;  // `digest`: of the server's source
  std::string file(const char* name) const { return directory + "/" + name; }
};
Result<GuestFiles> guest_files();

// Returns whether the server of this source is installed and systemd runs it.
Result<bool> has_server(const Limactl& lima, const GuestFiles& files);

// Installs the server of `files`: this machine's programs if the guest has the same system; else it is compiled in the
// guest. The previous server serves until then, and has `drain_s` seconds to finish its executions. `begin` is called
// with the next action and its usual duration. Errors: Code::ServerBusy when an execution did not end in time: the
// previous server then still serves.
using Begin = std::function<void(const std::string& what, std::chrono::seconds usual)>;
Status install_server(const Limactl& lima, const GuestFiles& files, int drain_s, const Begin& begin, const Show& show);

// Waits until the server has no execution, and keeps it from starting new ones for some seconds. Errors as above.
Status drain_server(const Limactl& lima, int drain_s, const Show& show);

// In the guest: the log of all installations by this client.
inline constexpr const char* kInstallLog = "/var/log/band-install.log";
// Maximum duration of an installation, in milliseconds: compiling on a slow machine takes an hour.
inline constexpr int kInstallMs = 2 * 3600 * 1000;
// Shows the last 40 lines of a log file of the guest.
void note_log(const Limactl& lima, const std::string& file, const Show& show);

}  // namespace band::client::vm
