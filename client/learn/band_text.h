// Splits the text of a BAND.md into rows (the lines of the text; in client/learn, a "line" is a rule), and finds where
// YAML values in the text end. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/result.h"

namespace band::client::learn {

// Returns the error (Code::SkillInvalid) for a text that cannot be edited in place.
Error cannot_edit(const std::string& file, const std::string& why);

struct BandText {
  std::vector<std::string> rows;  // the rows without line ends
  bool crlf = false;              // rows end with CR LF, not with LF
  bool last_ends = true;          // the last row has a line end
  std::size_t first = 1;          // index of the first row of the frontmatter
  std::size_t fence = 0;          // index of the row with the second `---`

  // Errors: cannot_edit() if there is no second `---`, or if some rows end with CR LF and others with LF.
  static Result<BandText> split(std::string_view text, const std::string& file);
  std::string text() const;  // the rows, joined with the line ends of the original text
};

struct Spot {
  std::size_t row = 0, column = 0;  // from 0; columns in bytes
};

// Returns the column after the scalar that begins at column `at`. Returns npos when the scalar does not end in this
// row, is a block scalar, or begins with an anchor (`&`) or a tag (`!`).
std::size_t end_of_value(const std::string& row, std::size_t at);

// The end of a flow list (`[a, b]`) or flow map (`{a: b}`): its closing bracket, and the position after its last item.
// If a comma follows the last item, `behind_last` is the position after this comma; if there is no item, the position
// after the opening bracket.
struct FlowEnd {
  Spot bracket, behind_last;
  bool empty = true, comma_last = false;  // it has no item; a comma follows its last item
};
// `open`: the position of the opening bracket. Returns nullopt when the closing bracket is missing, or when a quoted
// text does not end in its row.
std::optional<FlowEnd> end_of_flow(const BandText& lines, Spot open);

std::size_t indent_of(const std::string& row);  // number of spaces at the beginning
bool is_comment_or_blank(const std::string& row);

}  // namespace band::client::learn
