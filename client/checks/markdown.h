// Splits a Markdown text into lines, and finds its code blocks and links. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace band::client {

struct MarkdownLine {
  std::string_view text;  // without the line break (LF or CR LF)
  int line = 0;
  // The number of the code block that contains the line, from 1. A code block is the text between two fences (lines of
  // ``` or ~~~), or text that is indented by four blanks or a tab. 0 if the line is a fence, or is in no block.
  int block = 0;
};

// Returns the lines of `text`, as views of it. `first_line`: the line of the file on which `text` begins.
std::vector<MarkdownLine> markdown_lines(std::string_view text, int first_line);

// Returns the offset in a line of code at which the command begins: after blanks and the prompt `$ `.
std::size_t command_at(std::string_view line);

// Returns the targets of links and images (`[text](target)`) that are relative paths; ignores links in code. The
// `#part` of a target is removed, and percent-encoded characters are decoded.
struct MarkdownLink {
  std::string target;
  int line = 0, column = 0;  // position of the `[`
};
std::vector<MarkdownLink> relative_links(const std::vector<MarkdownLine>& lines);

}  // namespace band::client
