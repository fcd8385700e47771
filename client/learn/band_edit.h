// Lines into the text of a BAND.md, and out of it. Pure.
//
// An edit of the text at the right place: comments, order, quotes and line ends of what is there stay. The result is
// parsed again and compared with what was meant; a text that this cannot edit (a flow map over several lines with
// comments between, an anchor of a kind that band does not read ...) is an error, and nothing else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/learn/lines.h"
#include "schemas/core/result.h"

namespace band::client::learn {

// `file` is its name in messages. Errors (Code::SkillInvalid): the text has no band, or cannot be edited so.
Result<std::string> edited(std::string_view text, const std::string& file, const std::vector<Line>& lines,
                           const std::vector<Removal>& removals);

// As it stands in a list of BAND.md, without the `- `: a string in double quotes, or a map for what is optional.
std::string item_text(const Line& line);
// Behind it: `# reason`. One line of printable characters.
std::string comment_text(const Line& line);

}  // namespace band::client::learn
