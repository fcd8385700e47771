// An ordinary Agent Skill, as found in the wild, becomes one with bands. Pure: texts in, texts out. Nothing of it is
// executed; whether bash can read a shell script is the caller's to find out.
//
//   scripts/ of the skill      goes to scripts/_lib as it is, so that imports, sourced files and `../assets` work: in a
//                              sandbox scripts/_lib is /band/skill/lib, with assets and references beside it
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
  bool is_new = false;                                  // made by the conversion; else copied, with or without changes
  std::optional<Diagnostic> unreadable = std::nullopt;  // the first place of a shell script that bash cannot read
};

struct ConvertedScript {
  std::string name;     // "foo"
  std::string file;     // "scripts/foo.py"
  std::string by;       // how its arguments were read: "argparse", "getopts", "usage" ...; "" for {args, stdin}
  std::string example;  // "band call skill/foo --file FILE"
};

struct Conversion {
  std::vector<SkillFile> files;
  std::vector<ConvertedScript> scripts;
  // Scripts that were left out, and why; their files are copied. Files of the source are named as in it, those of the
  // new skill from `output` on.
  std::vector<Diagnostic> errors;
  std::vector<Diagnostic> notes;  // guesses, and what a run may fail by
};

// `skill` is the new skill's name, `flags` those of `band call`, `source` and `output` what messages call the two
// directories. Errors (Code::SkillInvalid): no SKILL.md; no script; a skill that is written for band already; a file
// that the new ones would replace.
Result<Conversion> convert_skill(const std::vector<SkillFile>& files, const std::string& skill,
                                 const std::set<std::string>& flags, const std::string& source,
                                 const std::string& output);

}  // namespace band::client
