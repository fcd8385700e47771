// `band-server setup`: installs the server on this machine, which the client then uses as the target `local`. Safe to
// repeat: existing users, configurations and tokens are left unchanged.
#pragma once

#include <cstdint>

#include "schemas/core/result.h"
#include "server/admin/paths.h"

namespace band::admin {

// Returns Code::PermissionDenied unless this process runs as root. The hint is to run `command` with sudo, for example
// "band setup --target local".
Status require_root(std::string_view command);

// Makes the system users and groups band-http, band-gateway and band-runner, unless they exist. The new users have no
// password, no shell and no home directory. Returns an error when an existing user has the uid 0.
Status ensure_users(const Progress& progress);

// Makes the configuration, the tokens file, and the directories with their modes (paths.h), unless they exist. If an
// existing directory has a permission that the intended mode lacks, sets the intended mode. Returns an error when an
// existing directory does not belong to the user of this process, or when the tokens file cannot be loaded (tokens.h).
Status ensure_files(const Paths& paths, const Progress& progress);

// Where systemd runs: if the unit file does not exist or its text differs from unit_text(), writes the file and enables
// the unit. Otherwise does nothing.
Status ensure_unit(const Paths& paths, const Progress& progress);

// Starts the server (service.h), unless one runs. If the running server was built from other sources than this program
// (Paths::source), replaces it: waits until its executions have ended, for at most `drain_s` seconds, while it refuses
// new ones; then stops it and starts the server of this program. Returns the server's port. Error (Code::ServerBusy):
// executions are left after `drain_s`; the running server continues to serve.
Result<std::uint16_t> start_own_build(const Paths& paths, int drain_s, const Progress& progress);

// Calls the functions above in this order. Returns the server's port.
Result<std::uint16_t> setup(const Paths& paths, const Progress& progress);

// Returns the text of a new server.yaml: every setting, commented out, with its default value or with an example.
std::string default_config();

}  // namespace band::admin
