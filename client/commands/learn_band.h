// Finds the BAND.md to which `band learn` adds lines, and composes the script's rules with these lines. `band learn`
// runs a script and proposes lines for the actions that were refused. A line is one entry of `allow` or `insist`
// (learn::Line).
#pragma once

#include <string>
#include <vector>

#include "client/learn/lines.h"
#include "client/skills/skills.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"

namespace band::client {

// Returns the other scripts whose band is made from the BAND.md of `script`: this BAND.md applies to them directly, or
// their own BAND.md includes or extends it. Searches the script's skill and the other skills in the same directory.
//
// At the end of the list are scripts whose band is not valid and may include or extend the BAND.md of `script`. Each of
// these entries has the name of the script, a remark that it is not known whether it belongs to the list, and the error
// of the band.
std::vector<std::string> sharers_of(const Script& script);

struct BandPlace {
  std::string file;     // the name of the BAND.md in Rule::origin: "notes/BAND.md"
  std::string path;     // the path of the file
  bool is_new = false;  // the file does not exist yet
  std::string before;   // the content of the file; "" when it is new
  std::string base;     // the text to which the lines are added: `before`, or own_band_text() for a new file
  std::string skill;    // the skill's directory, which contains `path`; neither path has a link
};
// Returns the BAND.md to which lines for `script` are added. This is the BAND.md that now applies to the script if
// - it is scripts/NAME/BAND.md, or
// - it is in the script's skill and applies to no other script (`sharers` is empty).
// Otherwise the result is a new file scripts/NAME/BAND.md; place_of_lines() does not create it.
//
// Errors (Code::SkillInvalid): the file cannot be read; because of a link, the new file would also apply to another
// script; a new file is needed, but scripts/NAME/BAND.md exists already (it is a link to a BAND.md of other scripts, or
// names such a file with the key `path`).
Result<BandPlace> place_of_lines(const Script& script, const std::vector<std::string>& sharers);

struct DraftedBand {
  std::string text, diff;  // the new text of the file, and its difference from `before`
  // The script's band if the file has `text`. Rules of the added lines have the origin learn::kWatchOrigin in place of
  // FILE:LINE.
  ComposedBand band;
};
// Adds `lines` to `place.base`, and removes `removals` from it. Errors (Code::SkillInvalid): the text cannot be edited
// in this way, or the result is not a valid band.
Result<DraftedBand> drafted_band(const Script& script, const BandPlace& place, const std::vector<learn::Line>& lines,
                                 const std::vector<learn::Removal>& removals);

// `run`: the rules of a successful run. Returns true when this run shows that the script also succeeds with the rules
// `whole`. This is the case if each allow rule of `run` is in `whole`, and if the deny and insist rules are equal in
// both. The comparison leaves out the rules in `run` that `band learn` had added only to observe the script.
bool shows_enough(const Rules& run, const Rules& whole);

// Writes `text` to `place.path`, and follows no link in the skill's directory, which another person may have written.
// Errors (Code::WriteConflict): the content of the existing file is no longer `place.before`; `place.is_new` is true,
// but the file exists now; the directory is not writable.
Status write_band(const BandPlace& place, const std::string& text);

}  // namespace band::client
