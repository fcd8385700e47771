// The files of `band convert`: reads those of the source, and writes those of the new skill, all or none.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/convert/convert.h"
#include "schemas/core/result.h"

namespace band::client {

// Returns every regular file below `directory`, sorted by path. Names that begin with a dot, __pycache__ and
// node_modules are left out, with a note. Errors (Code::SkillInvalid): a link that points outside the directory,
// another kind of file, a name that a request cannot carry, more than 2,000 files or 64 MiB. Messages call the
// directory `shown`.
Result<std::vector<SkillFile>> read_skill_files(const std::string& directory, const std::string& shown,
                                                std::vector<Diagnostic>& notes);

// Makes `directory`, which is empty or missing, with these files: writes them into a temporary directory next to it and
// renames that at the end. `is_over` is called before each file; true cancels. Errors: Code::WriteConflict when the
// directory is not empty, Code::Cancelled, Code::Usage. After an error nothing is left.
Status write_skill_files(const std::string& directory, const std::vector<SkillFile>& files,
                         const std::function<bool()>& is_over);

}  // namespace band::client
