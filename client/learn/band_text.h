// The text of a BAND.md as lines, and the ends of YAML values in it. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/result.h"

namespace band::client::learn {

// The error for a text that cannot be edited in place.
Error cannot_edit(const std::string& file, const std::string& why);

struct BandText {
  std::vector<std::string> rows;  // lines without their ends
  bool crlf = false;              // lines end with CR LF instead of LF
  bool last_ends = true;          // the last line has an end
  std::size_t first = 1;          // first row of the frontmatter
  std::size_t fence = 0;          // the row of the second `---`

  static Result<BandText> split(std::string_view text, const std::string& file);
  std::string text() const;
};

struct Spot {
  std::size_t row = 0, column = 0;  // from 0; columns in bytes
};

// Returns the column after the scalar that begins at `at`; npos when it does not end in this row, or is a block scalar.
std::size_t end_of_value(const std::string& row, std::size_t at);

// The end of the flow list or map that begins at `open`: its closing bracket, and the place after its last item.
struct FlowEnd {
  Spot bracket, behind_last;
  bool empty = true, comma_last = false;
};
std::optional<FlowEnd> end_of_flow(const BandText& lines, Spot open);

std::size_t indent_of(const std::string& row);
bool is_comment_or_blank(const std::string& row);

}  // namespace band::client::learn
