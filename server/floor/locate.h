// Where on this machine a declared command is, or what its user should do to have it there.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/programs/programs.h"
#include "server/floor/sources.h"
#include "server/floor/trusted_path.h"

namespace band::floor {

// May a missing program be looked for among the packages that apt knows? That takes half a second.
enum class Hint { Package, Quick };

// The first of known.directories that has an executable of that name; an absolute path must lie in one of them.
// Where it was looked for in vain becomes part of `sources`, so that its coming there is noticed. A program that is
// missing is SandboxUnavailable, with the package or the directory in the hint.
Result<TrustedPath> locate(const std::string& name, const KnownPrograms& known, std::vector<Source>& sources,
                           Hint hint = Hint::Package);

// What is there of a path with wildcards, glob(3).
std::vector<std::string> glob_paths(const std::string& pattern);

}  // namespace band::floor
