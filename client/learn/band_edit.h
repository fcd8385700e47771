// Adds lines to the text of a BAND.md and removes lines from it. Pure.
//
// Edits the text in place: comments, order, quotes and line ends of the rest are kept. The result is parsed and
// compared with the intended rules. A text that this cannot edit (a flow map over several lines with comments between,
// an anchor of a kind that band does not read ...) is an error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/learn/lines.h"
#include "schemas/core/result.h"

namespace band::client::learn {

// Returns the edited text. `file` is its name in messages. Errors (Code::SkillInvalid): the text has no band, or cannot
// be edited.
Result<std::string> edited(std::string_view text, const std::string& file, const std::vector<Line>& lines,
                           const std::vector<Removal>& removals);

// Returns the line as an item of a list in BAND.md, without the `- `: a string in double quotes, or a map if it is
// optional.
std::string item_text(const Line& line);
// Returns the comment after the item: `# reason`, one line of printable characters.
std::string comment_text(const Line& line);

}  // namespace band::client::learn
