// `band-server setup`: installs the server on this machine, which the client then uses as the target `local`. Safe to
// repeat: existing users, configurations and tokens are left unchanged.
#pragma once

#include <cstdint>

#include "schemas/core/result.h"
#include "server/admin/paths.h"

namespace band::admin {

// Returns Code::PermissionDenied unless this process runs as root. The hint names `command` ("band setup --target
// local").
Status require_root(std::string_view command);

// Makes the system users and groups band-http, band-gateway and band-runner, without password, shell and home
// directory.
Status ensure_users(const Progress& progress);

// Makes the configuration, the tokens file, and the state and run directories with their modes (paths.h), unless they
// exist. Returns an error when an existing directory does not belong to the user of this process. Removes permissions
// of an existing directory that the intended mode does not have.
Status ensure_files(const Paths& paths, const Progress& progress);

// Where systemd runs: writes the unit when its text differs from unit_text(), and enables the unit. Otherwise does
// nothing.
Status ensure_unit(const Paths& paths, const Progress& progress);

// Runs all of the functions above in that order, then start(). Returns the server's port.
Result<std::uint16_t> setup(const Paths& paths, const Progress& progress);

// Returns the text of a new server.yaml: every setting with its default, commented out.
std::string default_config();

}  // namespace band::admin
