// Finds a declared command on this machine; the error for a missing one says how to install it.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/programs/programs.h"
#include "server/floor/sources.h"
#include "server/floor/trusted_path.h"

namespace band::floor {

// Package: searches apt's package lists for a missing program, which takes half a second. Quick: does not.
enum class Hint { Package, Quick };

// Searches known.directories in order for an executable with that name; an absolute path must be in one of them. Paths
// that do not exist are added to `sources`, so that a later file there is detected. A missing program is
// SandboxUnavailable, with the package or the directory in the hint.
Result<TrustedPath> locate(const std::string& name, const KnownPrograms& known, std::vector<Source>& sources,
                           Hint hint = Hint::Package);

// Returns the existing paths that match, see glob(3).
std::vector<std::string> glob_paths(const std::string& pattern);

}  // namespace band::floor
