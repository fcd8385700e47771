// The lines of a Markdown text, and which of them are code. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace band::client {

struct MarkdownLine {
  std::string_view text;  // without the line break and a carriage return
  int line = 0;
  // Which block of code it belongs to, from 1: between two fences, or indented by four blanks or a tab. 0: it is none,
  // or a fence.
  int block = 0;
};

std::vector<MarkdownLine> markdown_lines(std::string_view text, int first_line);

// Where the command of a line of code begins: behind blanks, and behind the prompt `$ `.
std::size_t command_at(std::string_view line);

// Targets of links and pictures, `[text](target)`, that are files of the skill: without `#part`, percent signs decoded.
struct MarkdownLink {
  std::string target;
  int line = 0, column = 0;  // of the `[`
};
std::vector<MarkdownLink> relative_links(const std::vector<MarkdownLine>& lines);

}  // namespace band::client
