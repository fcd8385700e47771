// The arguments of a Python program that uses argparse. Pure.
//
// Read are `ArgumentParser`, `add_argument`, `add_argument_group`, `add_mutually_exclusive_group`, `add_subparsers`,
// `add_parser` and `parents=[...]` as far as their arguments are literals and their receivers are names. Anything else
// (a parser that a loop or a helper fills, names made at run time) makes the whole unreadable, because a parser that is
// read in part would refuse what the program takes.
#pragma once

#include <vector>

#include "client/convert/argument.h"
#include "client/convert/python_tokens.h"

namespace band::client {

// One form, or one for each subcommand. `why_not` is empty when the program does not use argparse at all.
ReadArguments read_argparse(const std::vector<PythonToken>& tokens);

}  // namespace band::client
