// Sets up and deletes the virtual machine of target local-lima, for `band setup` and `band teardown`.
#pragma once

#include "client/targets/targets.h"
#include "client/terminal/command_line.h"
#include "client/terminal/terminal.h"
#include "schemas/core/result.h"

namespace band::client {

// Sets up the machine, and writes the target's file. Prints the result or an error. Returns the exit code.
int setup_machine(const CommandLine& line, Terminal& terminal);
// Stops and deletes the machine, and removes the target's file. If --name names another machine than that of the
// target, deletes that machine and keeps the target's file. Prints the result or an error. Returns the exit code.
int teardown_machine(const CommandLine& line, Terminal& terminal);

}  // namespace band::client
