// Reads the arguments of a Python program that uses argparse. Pure.
//
// Supports `ArgumentParser`, `add_argument`, `add_argument_group`, `add_mutually_exclusive_group`, `add_subparsers`,
// `add_parser` and `parents=[...]` with literal arguments, called on a name (`parser.add_argument(...)`). If the
// program does anything else with a parser (adds arguments in a loop or a helper function, computes names at run time),
// none of its arguments are returned, because an incomplete list would make the new script reject arguments that the
// program accepts.
#pragma once

#include <vector>

#include "client/convert/argument.h"
#include "client/convert/python_tokens.h"

namespace band::client {

// Returns the arguments as one CallForm, or as one CallForm for each subcommand. If the program uses a parser in a way
// that is not supported, `why_not` has the reason, and there are no forms. If the program does not use argparse,
// `why_not` is "" and there are no forms.
ReadArguments read_argparse(const std::vector<PythonToken>& tokens);

}  // namespace band::client
