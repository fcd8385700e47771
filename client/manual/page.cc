#include "client/manual/page.h"

#include <algorithm>

#include "schemas/core/lines.h"

namespace band::client {
namespace {

constexpr std::string_view kExitCodes = "Exit codes";
constexpr std::size_t kLongestTitle = 24;  // a longer line with a colon at its end is prose

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::size_t indent_of(const std::string& line) { return std::min(line.find_first_not_of(' '), line.size()); }

// Adds a line with a term and its meaning, or a line that continues the meaning. The meanings must be in one column and
// not begin with `#`, which is a comment of an example. Returns false when the line is neither.
bool add_term(std::vector<Term>& terms, const std::string& line, std::size_t indent, std::size_t& column) {
  if (indent_of(line) < indent) return false;
  const bool goes_on = indent_of(line) > indent;
  const std::size_t gap = goes_on ? 0 : std::min(line.find("  ", indent), line.size());
  if (!goes_on) terms.push_back({line.substr(indent, gap - indent), ""});
  if (gap == line.size()) return true;  // the meaning is on the next line
  const std::size_t text = line.find_first_not_of(' ', gap);
  if (text == std::string::npos || line[text] == '#' || (column != 0 && text != column)) return false;
  column = text;
  std::string& about = terms.back().about;
  about += (about.empty() ? "" : " ") + line.substr(text);
  return true;
}

Block indented(std::vector<std::string> lines) {
  const std::size_t indent = indent_of(lines.front());
  std::size_t column = 0;
  std::vector<Term> terms;
  const bool are_terms = std::all_of(lines.begin(), lines.end(),
                                     [&](const std::string& line) { return add_term(terms, line, indent, column); }) &&
                         std::none_of(terms.begin(), terms.end(), [](const Term& term) { return term.about.empty(); });
  if (are_terms) return {Block::Kind::Terms, std::move(lines), std::move(terms)};
  return {Block::Kind::Example, std::move(lines)};
}

// Returns "Exit codes" for "Exit codes:" and for "Exit codes: the command's own"; "" when the line begins no section.
std::string title_of(const std::string& line) {
  const std::string with_colon = std::string(kExitCodes) + ":";
  if (line.starts_with(with_colon)) return std::string(kExitCodes);
  const bool is_title = line.size() <= kLongestTitle && line.ends_with(':') && line[0] >= 'A' && line[0] <= 'Z';
  return is_title ? line.substr(0, line.size() - 1) : "";
}

// Adds the lines between two empty ones.
void add_lines(std::vector<Section>& sections, std::vector<std::string> lines) {
  if (const std::string title = title_of(lines.front()); !title.empty()) {
    sections.push_back({title, {}});
    lines.front().erase(0, std::min(title.size() + 2, lines.front().size()));
    if (lines.front().empty()) lines.erase(lines.begin());
  }
  while (!lines.empty()) {
    const bool inside = indent_of(lines.front()) > 0;
    const auto end = std::find_if(lines.begin(), lines.end(),
                                  [&](const std::string& line) { return (indent_of(line) > 0) != inside; });
    std::vector<std::string> run(lines.begin(), end);
    lines.erase(lines.begin(), end);
    sections.back().blocks.push_back(inside ? indented(std::move(run)) : Block{Block::Kind::Paragraph, std::move(run)});
  }
}

struct ExitRow {
  int number;
  std::string_view name, about;
};

// Sorted by number.
Block exit_codes(bool of_all_commands) {
  std::vector<ExitRow> rows;
  for (const ExitInfo& row : exit_table()) rows.push_back({exit_code(row.code), code_name(row.code), row.about});
  rows.push_back({74, "NO_OUTPUT", "stdout cannot be written (141: its reader has closed it, as in `| head -n 1`)"});
  rows.push_back({130, "INTERRUPTED", "Ctrl-C (143: SIGTERM); the server ended the execution"});
  if (of_all_commands)
    rows.push_back({125, "", "band failed, or ended the command; only for `band exec` and `band shell`"});
  std::stable_sort(rows.begin(), rows.end(), [](const ExitRow& a, const ExitRow& b) { return a.number < b.number; });
  Block block{Block::Kind::Terms, {}};
  block.lines.push_back("  0   success");
  block.terms.push_back({"0", "success"});
  for (const ExitRow& row : rows) {
    const std::string number = std::to_string(row.number), name(row.name);
    block.lines.push_back("  " + padded(number, 4) + padded(name, 22) + std::string(row.about));
    block.terms.push_back(
        {name.empty() ? number : std::string(number).append(" ").append(name), std::string(row.about)});
  }
  return block;
}

Block commands_of(VerbGroup group) {
  Block block{Block::Kind::Terms, {}};
  for (const VerbInfo& verb : verbs()) {
    if (verb.group != group) continue;
    block.lines.push_back("  " + padded(std::string(verb.name), 16) + std::string(verb.about));
    block.terms.push_back({"band " + std::string(verb.name), std::string(verb.about)});
  }
  return block;
}

}  // namespace

std::vector<Section> sections_of(std::string_view text) {
  std::vector<Section> sections{{"", {}}};
  std::vector<std::string> lines;
  for (const std::string_view line : lines_of(text)) {
    if (!line.empty()) {
      lines.emplace_back(line);
      continue;
    }
    if (!lines.empty()) add_lines(sections, std::move(lines));
    lines.clear();
  }
  if (!lines.empty()) add_lines(sections, std::move(lines));
  if (sections.front().blocks.empty()) sections.erase(sections.begin());
  return sections;
}

Page page_of(const VerbInfo& verb) {
  Page page{.name = "band " + std::string(verb.name),
            .about = std::string(verb.about),
            .synopsis = std::string(verb.arguments),
            .flags = {},
            .sections = sections_of(text_of_verb(verb.name))};
  for (const FlagInfo& flag : flags()) {
    if (std::find(verb.flags.begin(), verb.flags.end(), flag.name) == verb.flags.end()) continue;
    page.flags.push_back(flag_for(verb.name, flag));
  }
  if (verb.name == "run") page.sections.push_back({std::string(kExitCodes), {exit_codes(false)}});
  return page;
}

Page overview() {
  Page page{.name = "band",
            .about = "run scripts of AI agents in a sandbox",
            .synopsis = "COMMAND ...",
            .flags = {},
            .sections = sections_of(intro())};
  for (const VerbGroupInfo& group : kVerbGroups)
    page.sections.push_back({std::string(group.title), {commands_of(group.group)}});
  for (Section& section : sections_of(first_steps())) page.sections.push_back(std::move(section));
  return page;
}

Page exit_codes_page() {
  return {.name = "band exit-codes",
          .chapter = 7,
          .about = "the exit codes of band",
          .synopsis = "",
          .flags = {},
          .sections = {{"", {exit_codes(true)}}}};
}

std::vector<Page> all_pages() {
  std::vector<Page> pages{overview()};
  for (const VerbInfo& verb : verbs())
    if (verb.group != VerbGroup::Hidden) pages.push_back(page_of(verb));
  pages.push_back(exit_codes_page());
  return pages;
}

}  // namespace band::client
