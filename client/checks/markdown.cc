#include "client/checks/markdown.h"

#include <algorithm>
#include <string>

#include "schemas/core/lines.h"
#include "schemas/core/percent.h"

namespace band::client {
namespace {

// Returns the number of ` or ~ if the line is a fence, else 0.
std::size_t fence_size(std::string_view line, char& mark) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin > 3) return 0;  // npos is greater, too
  if (line[begin] != '`' && line[begin] != '~') return 0;
  mark = line[begin];
  const std::size_t end = std::min(line.find_first_not_of(mark, begin), line.size());
  if (mark == '`' && line.find('`', end) != std::string_view::npos) return 0;  // code within a line
  return end - begin >= 3 ? end - begin : 0;
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t") == std::string_view::npos; }

// Returns the file that a link names; "" for a URL, an absolute path, a place in the text or a pattern.
std::string file_of(std::string_view target) {
  if (target.starts_with('<') && target.find('>') != std::string_view::npos)
    target = target.substr(1, target.find('>') - 1);
  else
    target = target.substr(0, target.find_first_of(" \t"));
  target = target.substr(0, target.find_first_of("#?"));
  if (target.empty() || target.front() == '/' || target.find(':') != std::string_view::npos) return "";
  if (target.find_first_of("*{}$<>") != std::string_view::npos) return "";
  return percent_decoded(target).value_or(std::string(target));  // `100%.md` is a valid name
}

}  // namespace

std::vector<MarkdownLine> markdown_lines(std::string_view text, int first_line) {
  std::vector<MarkdownLine> lines;
  std::size_t open = 0;  // size of the open fence
  char open_mark = 0;
  int block = 0;
  bool may_indent = true, in_indented = false;  // continuation lines of a paragraph may be indented
  for (std::string_view line : lines_of(text)) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back({line, first_line++, 0});
    char mark = 0;
    const std::size_t fence = fence_size(line, mark);
    if (open > 0) {
      const bool closes = fence >= open && mark == open_mark && is_blank(line.substr(line.find_last_of(mark) + 1));
      if (closes)
        open = 0;
      else
        lines.back().block = block;
      may_indent = closes;
      continue;
    }
    const bool indented = line.starts_with("    ") || line.starts_with('\t');
    if (fence > 0 && !(indented && may_indent)) {
      open = fence;
      open_mark = mark;
      ++block;
      in_indented = false;
    } else if (indented && !is_blank(line) && may_indent) {
      if (!in_indented) ++block;
      in_indented = true;
      lines.back().block = block;
    } else if (is_blank(line)) {
      may_indent = true;
      if (in_indented) lines.back().block = block;
    } else {
      may_indent = line.starts_with('#');
      in_indented = false;
    }
  }
  return lines;
}

std::size_t command_at(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  if (!line.substr(begin).starts_with("$ ")) return begin;
  return std::min(line.find_first_not_of(" \t", begin + 1), line.size());
}

std::vector<MarkdownLink> relative_links(const std::vector<MarkdownLine>& lines) {
  std::vector<MarkdownLink> links;
  for (const MarkdownLine& line : lines) {
    if (line.block > 0) continue;
    std::size_t bracket = std::string_view::npos;
    for (std::size_t i = 0; i < line.text.size(); ++i) {
      const char c = line.text[i];
      if (c == '`') {  // code within the line
        i = std::min(line.text.find('`', i + 1), line.text.size());
      } else if (c == '\\') {
        ++i;
      } else if (c == '[') {
        bracket = i;
      } else if (c == ']' && bracket != std::string_view::npos && line.text.substr(i + 1).starts_with('(')) {
        const std::size_t close = line.text.find(')', i);
        if (close == std::string_view::npos) break;
        if (std::string file = file_of(line.text.substr(i + 2, close - i - 2)); !file.empty())
          links.push_back({std::move(file), line.line, static_cast<int>(bracket) + 1});
        i = close;
        bracket = std::string_view::npos;
      }
    }
  }
  return links;
}

}  // namespace band::client
