// The BAND.md that receives the lines of `band learn`, and the script's rules with these lines.
#pragma once

#include <string>
#include <vector>

#include "client/learn/lines.h"
#include "client/skills/skills.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"

namespace band::client {

// Returns the other scripts, also of the skills in the same directory, whose band includes this script's BAND.md. A
// script whose band does not compose and names other files may be one of them; it is listed last, with its error.
std::vector<std::string> sharers_of(const Script& script);

struct BandPlace {
  std::string file;  // as origins name it
  std::string path;  // the file's path; the file may not exist yet
  bool is_new = false;
  std::string before;  // its content; "" when it is new
  std::string base;    // the text that receives the lines: `before`, or the first text of a new file
};
// Returns the file that governs the script now, or a new scripts/NAME/BAND.md when that file also governs other scripts
// or belongs to another skill. Errors (Code::SkillInvalid): it cannot be read, or learn must not write it.
Result<BandPlace> place_of_lines(const Script& script, const std::vector<std::string>& sharers);

struct DraftedBand {
  std::string text, diff;
  ComposedBand band;  // the script's band with that text; learn's lines have the origin kWatchOrigin
};
// Errors (Code::SkillInvalid): the lines cannot be put into the text, or the result is not a valid band.
Result<DraftedBand> drafted_band(const Script& script, const BandPlace& place, const std::vector<learn::Line>& lines,
                                 const std::vector<learn::Removal>& removals);

// Returns true when a successful run with the rules `run` shows that the script also works with `whole`: `run` opened
// no further rule, and denied and insisted on the same. Rules that learn added to watch something are ignored.
bool shows_enough(const Rules& run, const Rules& whole);

Status write_band(const BandPlace& place, const std::string& text);

}  // namespace band::client
