// `band-server setup`: target `local` on this machine. Safe to repeat: what is there already is left alone.
#pragma once

#include <cstdint>

#include "schemas/core/result.h"
#include "server/admin/paths.h"

namespace band::admin {

// Code::PermissionDenied unless root; `command` is named in the hint ("band setup --target local").
Status require_root(std::string_view command);

// System users and groups band-http, band-gateway and band-runner: no password, no shell, no home directory.
Status ensure_users(const Progress& progress);

// Configuration (only if absent), tokens file (only if absent), state and run directory with their modes. An existing
// directory of another owner is an error; one with a wider mode is narrowed.
Status ensure_files(const Paths& paths, const Progress& progress);

// The systemd unit, where systemd runs: written when its text differs, and enabled. Nothing elsewhere.
Status ensure_unit(const Paths& paths, const Progress& progress);

// All of the above in that order, then start(). Returns the server's port.
Result<std::uint16_t> setup(const Paths& paths, const Progress& progress);

// The text of a fresh server.yaml: every setting with its default, commented out.
std::string default_config();

}  // namespace band::admin
