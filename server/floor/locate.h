// Finds the program of a declared command on this machine. When the program is missing, the hint of the error names
// what to install.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/programs/programs.h"
#include "server/floor/sources.h"
#include "server/floor/trusted_path.h"

namespace band::floor {

// Package: if the program is missing, searches apt's package lists for the hint, which can take half a second. Quick:
// no search.
enum class Hint { Package, Quick };

// Searches known.directories, in order, for an executable `name`. If `name` is an absolute path, its directory must be
// one of known.directories. Paths at which no file exists are added to `sources`: if a program is installed there
// later, the change is detected. Returns SandboxUnavailable when the program is missing; the hint names the package to
// install, or the directory to add to known.directories.
Result<TrustedPath> locate(const std::string& name, const KnownPrograms& known, std::vector<Source>& sources,
                           Hint hint = Hint::Package);

// Returns the existing paths that match `pattern`, see glob(3).
std::vector<std::string> glob_paths(const std::string& pattern);

}  // namespace band::floor
