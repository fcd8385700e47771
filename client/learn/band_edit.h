// Adds lines (client/learn/lines.h) to the text of a BAND.md and removes lines from it. Pure.
//
// Edits the text in place: in the rest of the text, comments, order, quotes and line ends are kept. Then parses the
// result and compares it with the intended rules. Some texts cannot be edited in this way (a flow map over several
// lines with comments in it, an anchor of a kind that band does not parse ...).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/learn/lines.h"
#include "schemas/core/result.h"

namespace band::client::learn {

// Returns the edited text. `file` is its name in messages. Errors (Code::SkillInvalid): the text has no frontmatter
// with a band, or cannot be edited.
Result<std::string> edited(std::string_view text, const std::string& file, const std::vector<Line>& lines,
                           const std::vector<Removal>& removals);

// Returns the line as an item of a list in BAND.md, without the `- `: a string in double quotes, or a map if the line
// is optional.
std::string item_text(const Line& line);
// Returns the comment that is written after the item: `# REASON`, one line of printable characters.
std::string comment_text(const Line& line);

}  // namespace band::client::learn
