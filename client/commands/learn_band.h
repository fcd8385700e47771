// The BAND.md that learn's lines go into, and what a script may do once they are in it.
#pragma once

#include <string>
#include <vector>

#include "client/learn/lines.h"
#include "client/skills/skills.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"

namespace band::client {

// Other scripts, also of the skills beside this one, whose band this script's BAND.md is, or is a part of. One whose
// band does not compose and names other files may be one: it is among them, behind the others, with its error.
std::vector<std::string> sharers_of(const Script& script);

struct BandPlace {
  std::string file;  // as origins name it
  std::string path;  // where it lies, or would
  bool is_new = false;
  std::string before;  // what it has; "" when it is new
  std::string base;    // what the lines are put into: `before`, or the first text of a new one
};
// The file that governs the script now; where other scripts have it as well, or it is another skill's, the script's own
// scripts/NAME/BAND.md, which is made then. Errors (Code::SkillInvalid): it cannot be read, or learn must not write it.
Result<BandPlace> place_of_lines(const Script& script, const std::vector<std::string>& sharers);

struct DraftedBand {
  std::string text, diff;
  ComposedBand band;  // of the script with that text; its rules have learn's lines as of origin kWatchOrigin
};
// Errors (Code::SkillInvalid): the lines cannot be put into the text, or it is no band then.
Result<DraftedBand> drafted_band(const Script& script, const BandPlace& place, const std::vector<learn::Line>& lines,
                                 const std::vector<learn::Removal>& removals);

// Does `run` show that `whole` is enough, too? It had no rule more, and it was closed and had to prove no less. What
// learn adds to see more does not count.
bool shows_enough(const Rules& run, const Rules& whole);

Status write_band(const BandPlace& place, const std::string& text);

}  // namespace band::client
