#include "schemas/yaml/frontmatter.h"

namespace band {
namespace {

// Returns the next line without its line break and trailing blanks; `rest` then begins after it.
std::string_view next_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::optional<Frontmatter> split_frontmatter(std::string_view text, const std::string& file,
                                             const std::string& contents, std::vector<Diagnostic>& errors) {
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  std::string_view rest = text;
  if (next_line(rest) != "---") {
    errors.push_back(
        {file, 1, 1, "no frontmatter", "begin the file with a line `---`, then " + contents + ", then a line `---`"});
    return std::nullopt;
  }
  const std::string_view yaml = rest;
  int line = 2;
  for (; !rest.empty(); ++line) {
    const std::size_t at = yaml.size() - rest.size();
    if (next_line(rest) == "---") return Frontmatter{yaml.substr(0, at), rest, line + 1};
  }
  errors.push_back({file, line, 1, "the frontmatter does not end", "put a line `---` after " + contents});
  return std::nullopt;
}

}  // namespace band
