// Finds the program of a declared command (a command that a band names in `cli`) on this machine. When the program is
// missing, the hint of the error names what to install.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/programs/programs.h"
#include "server/floor/sources.h"
#include "server/floor/trusted_path.h"

namespace band::floor {

// How locate() makes the hint for a missing program. Package: locate() also searches apt's package lists, which can
// take half a second. Quick: it does not search them.
enum class Hint { Package, Quick };

// Error::details if no file was found.
inline constexpr const char* kMissing = R"({"missing":true})";

// Searches known.directories, in order, for an executable `name`. If `name` is an absolute path, its directory must be
// one of known.directories. Adds the searched paths at which no file exists to `sources`, so that a later installation
// of the program at one of these paths is detected. Returns SandboxUnavailable with kMissing when the program is
// missing; the hint names the package to install, or the directory to add to known.directories. Returns
// SandboxUnavailable also when the file that was found is not trusted (trusted_path.h) or not executable for every
// user. Returns SkillInvalid when `name` is not the name or path of a command.
Result<TrustedPath> locate(const std::string& name, const KnownPrograms& known, std::vector<Source>& sources,
                           Hint hint = Hint::Package);

// Returns the existing paths that match `pattern`, see glob(3).
std::vector<std::string> glob_paths(const std::string& pattern);

}  // namespace band::floor
