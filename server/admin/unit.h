// The systemd unit that setup writes. Pure.
#pragma once

#include <string>

#include "server/admin/paths.h"

namespace band::admin {

// Returns the text of the unit file (Paths::unit). See systemd.service(5), systemd.exec(5),
// systemd.resource-control(5).
std::string unit_text(const Paths& paths);

}  // namespace band::admin
