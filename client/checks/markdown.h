// Splits a Markdown text into lines and finds the code blocks and links. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace band::client {

struct MarkdownLine {
  std::string_view text;  // without the line break and a carriage return
  int line = 0;
  // Number of the code block, from 1: between two fences, or indented by four blanks or a tab. 0: not in a block, or a
  // fence.
  int block = 0;
};

std::vector<MarkdownLine> markdown_lines(std::string_view text, int first_line);

// Returns the offset of the command in a line of code, after blanks and the prompt `$ `.
std::size_t command_at(std::string_view line);

// Returns targets of links and images, `[text](target)`, that are relative paths: without `#part`, percent-decoded.
struct MarkdownLink {
  std::string target;
  int line = 0, column = 0;  // position of the `[`
};
std::vector<MarkdownLink> relative_links(const std::vector<MarkdownLine>& lines);

}  // namespace band::client
