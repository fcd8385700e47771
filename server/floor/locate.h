// Finds the program of a declared command on this machine. The hint of the error for a missing program names what to
// install.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/programs/programs.h"
#include "server/floor/sources.h"
#include "server/floor/trusted_path.h"

namespace band::floor {

// Package: the hint for a missing program names the apt package, which needs half a second to search. Quick: no search.
enum class Hint { Package, Quick };

// Searches known.directories, in order, for an executable `name`; if `name` is an absolute path, it must be in one of
// these directories. Paths where no file exists are added to `sources`: if a program is installed there later, the
// change is detected. Returns SandboxUnavailable when the program is missing; the hint names the package or the
// directory.
Result<TrustedPath> locate(const std::string& name, const KnownPrograms& known, std::vector<Source>& sources,
                           Hint hint = Hint::Package);

// Returns the existing paths that match `pattern`, see glob(3).
std::vector<std::string> glob_paths(const std::string& pattern);

}  // namespace band::floor
