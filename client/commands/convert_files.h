// The files of `band convert`: those of the source, which is only read, and those of the new skill, all or none.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/convert/convert.h"
#include "schemas/core/result.h"

namespace band::client {

// Every regular file below `directory`, sorted by path. Left out, with a note: names that begin with a dot, __pycache__
// and node_modules. Errors (Code::SkillInvalid): a link that leads out of it, what is no file, a name that cannot
// travel, more than 2,000 files or 64 MiB. `shown` is what messages call the directory.
Result<std::vector<SkillFile>> read_skill_files(const std::string& directory, const std::string& shown,
                                                std::vector<Diagnostic>& notes);

// Makes `directory`, which is empty or not there, with these files: a directory beside it gets them, and takes its name
// at the end. `is_over` is asked between two files. Errors: Code::WriteConflict when something is there,
// Code::Cancelled when it was over, Code::Usage; nothing is left then.
Status write_skill_files(const std::string& directory, const std::vector<SkillFile>& files,
                         const std::function<bool()>& is_over);

}  // namespace band::client
