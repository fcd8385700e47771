// The files of `band convert`. read_skill_files() reads all files of the skill that is converted. write_skill_files()
// writes either all files of the new skill or none.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/convert/convert.h"
#include "schemas/core/result.h"

namespace band::client {

// Returns every regular file below `directory`, sorted by path; follows links that point into it. Leaves out files and
// directories with the name __pycache__ or node_modules, and those whose name begins with a dot; for each of them, adds
// a note to `notes`. `shown`: the name of the directory in messages.
//
// Errors: Code::Usage when `directory` cannot be opened. Code::SkillInvalid for a link that points outside the
// directory; an entry of another type than regular file, directory or link; an entry that cannot be read; a name that
// is not allowed in a request; directories that are nested too deep; more than 2,000 files; more than 64 MiB in total;
// more than 10,000 entries (files and directories together).
Result<std::vector<SkillFile>> read_skill_files(const std::string& directory, const std::string& shown,
                                                std::vector<Diagnostic>& notes);

// Creates `directory` with these files. If `directory` exists, it must be empty. The files are first written into a
// temporary directory next to `directory`; at the end, the temporary directory is renamed to `directory`. `is_over` is
// called before each file; if it returns true, writing is cancelled. Errors: Code::WriteConflict when `directory`
// exists and is not an empty directory, Code::Cancelled, Code::Usage when a file or directory cannot be created. After
// an error, no file of the new skill is left; parent directories that were created remain.
Status write_skill_files(const std::string& directory, const std::vector<SkillFile>& files,
                         const std::function<bool()>& is_over);

}  // namespace band::client
