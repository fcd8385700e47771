#include "client/learn/band_text.h"

#include <algorithm>

namespace band::client::learn {
namespace {

std::string_view without_blanks_behind(std::string_view row) {
  const std::size_t last = row.find_last_not_of(" \t\r");
  return row.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

}  // namespace

Error cannot_edit(const std::string& file, const std::string& why) {
  return Error{.code = Code::SkillInvalid,
               .doing = file + " cannot be edited line by line: " + why,
               .hint = "write the lines into it yourself; nothing was changed"};
}

Result<BandText> BandText::split(std::string_view text, const std::string& file) {
  BandText lines;
  lines.crlf = text.find("\r\n") != std::string_view::npos;
  lines.last_ends = text.empty() || text.back() == '\n';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t found = text.find('\n', at);
    const std::size_t end = std::min(found, text.size());
    std::string row(text.substr(at, end - at));
    const bool has_return = row.ends_with('\r');
    if (has_return != lines.crlf && found != std::string_view::npos)
      return cannot_edit(file, "some of its lines end with CR LF and some with LF");
    if (has_return) row.pop_back();
    lines.rows.push_back(std::move(row));
    at = end + 1;
  }
  for (std::size_t i = 1; i < lines.rows.size() && lines.fence == 0; ++i)
    if (without_blanks_behind(lines.rows[i]) == "---") lines.fence = i;
  if (lines.fence == 0) return cannot_edit(file, "it has no frontmatter between two lines `---`");
  return lines;
}

std::string BandText::text() const {
  const std::string_view end = crlf ? "\r\n" : "\n";
  std::string all;
  for (std::size_t i = 0; i < rows.size(); ++i) all.append(rows[i]).append(i + 1 < rows.size() || last_ends ? end : "");
  return all;
}

std::size_t end_of_value(const std::string& row, std::size_t at) {
  const char c = at < row.size() ? row[at] : '\0';
  if (c == '"') {
    for (std::size_t i = at + 1; i < row.size(); ++i) {
      if (row[i] == '\\')
        ++i;
      else if (row[i] == '"')
        return i + 1;
    }
    return std::string::npos;
  }
  if (c == '\'') {
    for (std::size_t i = at + 1; i < row.size(); ++i) {
      if (row[i] != '\'') continue;
      if (i + 1 < row.size() && row[i + 1] == '\'')
        ++i;
      else
        return i + 1;
    }
    return std::string::npos;
  }
  if (c == '|' || c == '>' || c == '&' || c == '!' || c == '\0') return std::string::npos;
  const std::size_t comment = row.find(" #", at);
  return without_blanks_behind(std::string_view(row).substr(0, std::min(comment, row.size()))).size();
}

std::optional<FlowEnd> end_of_flow(const BandText& lines, Spot open) {
  FlowEnd end;
  end.behind_last = {open.row, open.column + 1};
  int depth = 0;
  for (std::size_t row = open.row; row < lines.fence; ++row) {
    const std::string& text = lines.rows[row];
    for (std::size_t at = row == open.row ? open.column : 0; at < text.size();) {
      const char c = text[at];
      if (c == ' ' || c == '\t') {
        ++at;
      } else if (c == '#' && (at == 0 || text[at - 1] == ' ' || text[at - 1] == '\t')) {
        break;
      } else if ((c == ']' || c == '}') && --depth == 0) {
        end.bracket = {row, at};
        return end;
      } else {
        std::size_t next = at + 1;
        if (c == '[' || c == '{') ++depth;
        const bool starts_token = at == 0 || std::string_view(" \t[{,:").find(text[at - 1]) != std::string_view::npos;
        if ((c == '"' || c == '\'') && starts_token) next = end_of_value(text, at);
        if (next == std::string::npos) return std::nullopt;
        if (row != open.row || at != open.column) {
          end.empty = false;
          end.comma_last = c == ',' && depth == 1;
          end.behind_last = {row, next};
        }
        at = next;
      }
    }
  }
  return std::nullopt;
}

std::size_t indent_of(const std::string& row) { return std::min(row.find_first_not_of(' '), row.size()); }
bool is_comment_or_blank(const std::string& row) {
  const std::size_t first = row.find_first_not_of(" \t");
  return first == std::string::npos || row[first] == '#';
}

}  // namespace band::client::learn
