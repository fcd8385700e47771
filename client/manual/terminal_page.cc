#include "client/manual/terminal_page.h"

#include <algorithm>

namespace band::client {
namespace {

constexpr std::size_t kFlagWidth = 24;

std::string lines(const Block& block) {
  std::string text;
  for (const std::string& line : block.lines) text += line + "\n";
  return text;
}

std::string flag_line(const FlagInfo& flag) {
  std::string left = "--" + std::string(flag.name) + (flag.value.empty() ? "" : " " + std::string(flag.value));
  left.resize(std::max(kFlagWidth, left.size()), ' ');
  return "  " + left + std::string(flag.about) + "\n";
}

// A paragraph follows its title on the same line; other blocks begin on the next line.
std::string section_text(const Section& section, const Terminal& terminal) {
  std::string text;
  if (!section.title.empty()) {
    const bool goes_on = !section.blocks.empty() && section.blocks.front().kind == Block::Kind::Paragraph;
    text += "\n" + terminal.bold(section.title + ":") + (goes_on ? " " : "\n");
  }
  for (std::size_t i = 0; i < section.blocks.size(); ++i)
    text += (i == 0 && !section.title.empty() ? "" : "\n") + lines(section.blocks[i]);
  return text;
}

}  // namespace

std::string terminal_page(const Page& page, const Terminal& terminal) {
  std::string text = page.name + ": " + page.about + "\n\n" + terminal.bold("Usage:") + " " + page.name;
  if (!page.synopsis.empty()) text += " " + page.synopsis;
  const bool flags_are_in_it = page.synopsis.find("[FLAGS]") != std::string::npos;
  if (!page.flags.empty() && !flags_are_in_it) text += " [flags]";
  text += "\n";
  if (!page.flags.empty()) text += "\n" + terminal.bold("Flags:") + "\n";
  for (const FlagInfo& flag : page.flags) text += flag_line(flag);
  for (const Section& section : page.sections) text += section_text(section, terminal);
  return text;
}

std::string terminal_overview(const Terminal& terminal) {
  const Page page = overview();
  std::string text;
  for (const Block& block : page.sections.front().blocks) text += lines(block);
  text += "\n" + terminal.bold("Usage:") + " " + page.name + " " + page.synopsis + "\n";
  for (std::size_t i = 1; i < page.sections.size(); ++i) text += section_text(page.sections[i], terminal);
  return text +
         "\n`band COMMAND --help` describes a command, `band help exit-codes` lists the exit codes, `band --version` "
         "prints the version.\n";
}

std::string terminal_exit_codes() { return lines(exit_codes_page().sections.front().blocks.front()); }

}  // namespace band::client
