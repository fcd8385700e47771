// Converts an ordinary Agent Skill into a skill for band: each script gets a BAND.md (the rules of what the script may
// do), and schemas of its input and output. Pure: maps texts to texts. No script is executed. The caller checks shell
// scripts with `bash -n` and passes the result in SkillFile::unreadable.
//
//   scripts/ of the skill      is copied unchanged to scripts/_lib. In a sandbox the path of this copy is
//                              /band/skill/lib, beside the directories assets and references. Therefore imports,
//                              sourced files and paths like `../assets` work there
//   scripts/foo.py             becomes the script `foo`: scripts/foo/run.sh, scripts/foo/BAND.md and two schemas; if
//                              foo.py has subcommands, each of them becomes a script: `foo-add`
//   SKILL.md                   is copied with an additional section about band
//   everything else            is copied
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "schemas/core/diagnostic.h"
#include "schemas/core/result.h"

namespace band::client {

struct SkillFile {
  std::string path;  // relative to the skill
  std::string content;
  bool executable = false;
  bool is_new = false;                                  // made by the conversion; false: a copy, maybe with changes
  std::optional<Diagnostic> unreadable = std::nullopt;  // the first syntax error of a shell script
};

struct ConvertedScript {
  std::string name;  // "foo"
  std::string file;  // "scripts/foo.py"
  // How the script's arguments were found (ReadArguments::source): "argparse", "getopts", "usage" ... "": they were not
  // found; the input of the new script is then an object with the list `args` and the text `stdin`.
  std::string by;
  std::string example;  // "band call skill/foo --file FILE"
};

struct Conversion {
  std::vector<SkillFile> files;
  std::vector<ConvertedScript> scripts;
  // Scripts that were not converted, with the reasons; their files are copied. In `errors` and `notes`, the path of a
  // file of the source begins with `source`, and the path of a new file begins with `output` (parameters of
  // convert_skill()).
  std::vector<Diagnostic> errors;
  std::vector<Diagnostic> notes;  // guesses to check, and possible reasons why a run of a new script fails
};

// `skill`: the new skill's name. `flags`: the flags of `band run`; no property of a new script's input gets such a
// name. `source` and `output`: the names of the two directories in messages. Errors (Code::SkillInvalid): the source
// has no SKILL.md, or one that is not UTF-8; it has no script that band can run; it already has files of a skill for
// band (BAND.md, run.sh, schemas); a file of the source has the name of a new file; scripts/ has more files or bytes
// than band sends, or assets/ and references/ together have.
Result<Conversion> convert_skill(const std::vector<SkillFile>& files, const std::string& skill,
                                 const std::set<std::string>& flags, const std::string& source,
                                 const std::string& output);

}  // namespace band::client
