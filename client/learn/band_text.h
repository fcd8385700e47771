// Splits the text of a BAND.md into rows, and finds where YAML values in it end. A row is a line of the text. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/result.h"

namespace band::client::learn {

// Returns the error for a text that cannot be edited in place.
Error cannot_edit(const std::string& file, const std::string& why);

struct BandText {
  std::vector<std::string> rows;  // the rows without line ends
  bool crlf = false;              // rows end with CR LF, not with LF
  bool last_ends = true;          // the last row has a line end
  std::size_t first = 1;          // first row of the frontmatter
  std::size_t fence = 0;          // the row of the second `---`

  static Result<BandText> split(std::string_view text, const std::string& file);
  std::string text() const;
};

struct Spot {
  std::size_t row = 0, column = 0;  // from 0; columns in bytes
};

// Returns the column after the scalar that begins at column `at`; npos when the scalar does not end in this row, or is
// a block scalar.
std::size_t end_of_value(const std::string& row, std::size_t at);

// The end of a flow list or flow map: its closing bracket, and the position after its last item.
struct FlowEnd {
  Spot bracket, behind_last;
  bool empty = true, comma_last = false;  // it has no item; a comma follows its last item
};
// `open`: the position of the opening bracket.
std::optional<FlowEnd> end_of_flow(const BandText& lines, Spot open);

std::size_t indent_of(const std::string& row);
bool is_comment_or_blank(const std::string& row);

}  // namespace band::client::learn
