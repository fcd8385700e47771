// The files of `band convert`. read_skill_files() reads all files of the skill that is converted. write_skill_files()
// writes either all files of the new skill or none.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/convert/convert.h"
#include "schemas/core/result.h"

namespace band::client {

// Returns every regular file below `directory`, sorted by path. Leaves out files and directories with the name
// __pycache__ or node_modules, and those whose name begins with a dot; adds a note about what it has left out to
// `notes`. Errors (Code::SkillInvalid): a link that points outside the directory; an entry of another type than regular
// file, directory or link; a name that is not allowed in a request; more than 2,000 files, or more than 64 MiB in
// total. `shown`: the name of the directory in messages.
Result<std::vector<SkillFile>> read_skill_files(const std::string& directory, const std::string& shown,
                                                std::vector<Diagnostic>& notes);

// Creates `directory` with these files. If `directory` exists, it must be empty. The files are first written into a
// temporary directory next to `directory`; at the end, the temporary directory is renamed to `directory`. `is_over` is
// called before each file; if it returns true, writing is cancelled. Errors: Code::WriteConflict when the directory is
// not empty, Code::Cancelled, Code::Usage when a file or directory cannot be created. After an error, no new file or
// directory is left.
Status write_skill_files(const std::string& directory, const std::vector<SkillFile>& files,
                         const std::function<bool()>& is_over);

}  // namespace band::client
