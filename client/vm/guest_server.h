// band's server in the guest: which one is there, and how another takes its place.
#pragma once

#include <functional>
#include <string>

#include "client/vm/limactl.h"
#include "client/vm/show.h"
#include "schemas/core/result.h"

namespace band::client::vm {

// The files beside this program that a machine is made of: ../share/band/lima. Errors: Code::Usage.
struct GuestFiles {
  std::string directory, digest;  // of the server's source
  std::string file(const char* name) const { return directory + "/" + name; }
};
Result<GuestFiles> guest_files();

// Is the server of this source there, and does systemd run it?
Result<bool> has_server(const Limactl& lima, const GuestFiles& files);

// Installs the server of `files`: this machine's programs, when the guest has the same system; else it is compiled in
// the guest. The server before it serves until then, and has `drain_s` seconds to end what it executes. `begin` gets
// what is done, and how long that usually takes. Errors: Code::ServerBusy when an execution did not end in that time:
// the server before it still serves.
using Begin = std::function<void(const std::string& what, std::chrono::seconds usual)>;
Status install_server(const Limactl& lima, const GuestFiles& files, int drain_s, const Begin& begin, const Show& show);

// Waits until the server executes nothing, and lets it begin nothing for some seconds. Error as above.
Status drain_server(const Limactl& lima, int drain_s, const Show& show);

// Of the guest: the log of everything that this client installs there.
inline constexpr const char* kInstallLog = "/var/log/band-install.log";
// How long an installation may take, in milliseconds: a compiler on a slow machine takes an hour.
inline constexpr int kInstallMs = 2 * 3600 * 1000;
// Shows the last 40 lines of a log of the guest.
void note_log(const Limactl& lima, const std::string& file, const Show& show);

}  // namespace band::client::vm
