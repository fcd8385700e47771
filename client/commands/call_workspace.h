// The workspaces in which `band call` runs. An agent with the permission `Bash(band call SKILL/*)` can also change the
// directory, and would otherwise let a script read or replace files of the user's programs.
#pragma once

#include "client/host/tree.h"
#include "schemas/core/result.h"

namespace band::client {

// Returns an error (Code::Usage) if `band call` refuses the workspace: the home directory itself, and with everything
// below them the directories of band (client/host/own_directories.h), directories whose name begins with a dot,
// ~/Library, and directories whose files programs of the system execute or obey. Directories are compared by their ids
// and not by their paths. call.yaml in config_directory() can list exceptions (schemas/call.schema.json); it is read
// only if the workspace would be refused. An error in this file is returned, too.
Status check_call_workspace(const Tree& workspace);

}  // namespace band::client
