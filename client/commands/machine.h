// The virtual machine of target local-lima, for `band setup`, `band teardown`, `band start` and `band stop`.
#pragma once

#include "client/targets/targets.h"
#include "client/terminal/command_line.h"
#include "client/terminal/terminal.h"
#include "schemas/core/result.h"

namespace band::client {

// Sets the machine and the target up; returns the exit code.
int setup_machine(const CommandLine& line, Terminal& terminal);
// Stops and deletes the machine, and removes the target's file.
int teardown_machine(const CommandLine& line, Terminal& terminal);

}  // namespace band::client
