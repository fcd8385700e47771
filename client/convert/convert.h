// Converts an ordinary Agent Skill into a skill with bands. Pure: maps texts to texts. Never executes a script;
// the caller checks with bash whether a shell script is valid.
//
//   scripts/ of the skill      is copied unchanged to scripts/_lib, so that imports, sourced files and `../assets`
//   work:
//                              in a sandbox scripts/_lib is /band/skill/lib, next to assets and references
//   scripts/foo.py             becomes the script `foo`: scripts/foo/run.sh, scripts/foo/BAND.md and two schemas; with
//                              subcommands one script for each, `foo-add`
//   SKILL.md                   gets a section about band
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
  bool is_new = false;                                  // made by the conversion; false: copied, maybe with changes
  std::optional<Diagnostic> unreadable = std::nullopt;  // the first syntax error of a shell script
};

struct ConvertedScript {
  std::string name;     // "foo"
  std::string file;     // "scripts/foo.py"
  std::string by;       // where its arguments were read: "argparse", "getopts", "usage" ...; "" for {args, stdin}
  std::string example;  // "band call skill/foo --file FILE"
};

struct Conversion {
  std::vector<SkillFile> files;
  std::vector<ConvertedScript> scripts;
  // Scripts that were left out, with the reasons; their files are copied. Files of the source are named as in the
  // source, those of the new skill by paths that begin with `output`.
  std::vector<Diagnostic> errors;
  std::vector<Diagnostic> notes;  // guesses, and possible reasons for failing runs
};

// `skill`: the new skill's name. `flags`: the flags of `band run`. `source` and `output`: the names of the two
// directories in messages. Errors (Code::SkillInvalid): no SKILL.md; no script; a skill that is written for band
// already; a file that the new ones would replace.
Result<Conversion> convert_skill(const std::vector<SkillFile>& files, const std::string& skill,
                                 const std::set<std::string>& flags, const std::string& source,
                                 const std::string& output);

}  // namespace band::client
