// Adds lines to the text of a BAND.md, and removes lines from it. A line is a rule: an entry of `allow` or `insist`
// (client/learn/lines.h). Pure.
//
// Edits the text in place: in the rest of the text, comments, order, quotes and line ends are kept. Then parses the
// result and compares it with the intended rules. Some forms of text cannot be edited. For example, if the frontmatter
// is one flow map (`{band: x, ...}`), no section can be added to it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/learn/lines.h"
#include "schemas/core/result.h"

namespace band::client::learn {

// Returns the edited text. If `lines` is not empty, also removes the comment that `band new` writes into a new BAND.md.
// `file` is the name of the text in messages. Errors (Code::SkillInvalid): the text has no frontmatter with a band; it
// does not contain a line of `removals`; it cannot be edited.
Result<std::string> edited(std::string_view text, const std::string& file, const std::vector<Line>& lines,
                           const std::vector<Removal>& removals);

// Returns the line as an item of a list in BAND.md, without the `- `: `"./data/*.csv"`, or `{path: "./data/*.csv",
// optional: true}` if Line::optional is set.
std::string item_text(const Line& line);
// Returns the comment that is written after the item, such as `# run 2: the script called it (ledger: gh issue list)`.
// It has one line of printable characters, and is cut after about 200 bytes.
std::string comment_text(const Line& line);

}  // namespace band::client::learn
