#include "client/manual/roff.h"

#include <algorithm>
#include <cstdio>

#include "schemas/core/utf8.h"

namespace band::client {
namespace {

// The day of the last change of the texts. Not the day of the build, so that the same version has the same pages.
constexpr std::string_view kDated = "2026-11-26";

struct Glyph {
  char32_t code;
  std::string_view roff;
};
// Characters that roff interprets, or prints as another character: groff_char(7), mandoc_char(7).
constexpr Glyph kGlyphs[] = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"}, {'`', "\\(ga"},
                             {'^', "\\(ha"}, {'~', "\\(ti"}, {'"', "\\(dq"}};

std::string glyph(const Utf8Char& c) {
  for (const Glyph& known : kGlyphs)
    if (c.code == known.code) return std::string(known.roff);
  if (c.code < 0x80)
    return std::string(1, static_cast<char>(c.code));  // not with braces, which make a list of two characters
  char buffer[16];
  std::snprintf(buffer, sizeof buffer, "\\[u%04X]", static_cast<unsigned>(c.code));
  return buffer;
}

std::string bold(std::string_view text) { return "\\fB" + roff_text(text, false) + "\\fR"; }

// A line of prose; text between `` ` `` becomes bold.
std::string prose(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find('`', at), close = text.find('`', open == text.npos ? open : open + 1);
    if (close == text.npos) return out + roff_text(text.substr(at), out.empty());
    out += roff_text(text.substr(at, open - at), out.empty()) + bold(text.substr(open + 1, close - open - 1));
    at = close + 1;
  }
  return out;
}

std::string without_quotes(std::string text) {
  std::erase(text, '`');
  return text;
}

std::string dashed(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

std::string term(std::string_view word, const std::string& about) {
  return ".TP\n" + bold(word) + "\n" + prose(about) + "\n";
}

// The request of a paragraph directly after that of a title is an error.
std::string block_text(const Block& block, bool first) {
  std::string text;
  if (block.kind == Block::Kind::Terms) {
    for (const Term& one : block.terms) text += term(one.word, one.about);
    return text;
  }
  const std::string begin = first ? "" : ".PP\n";
  if (block.kind == Block::Kind::Example) {
    const std::size_t indent = block.lines.front().find_first_not_of(' ');
    for (const std::string& line : block.lines)
      text += roff_text(std::string_view(line).substr(std::min(indent, line.find_first_not_of(' '))), true) + "\n";
    return begin + ".in +4n\n.EX\n" + text + ".EE\n.in\n";
  }
  for (const std::string& line : block.lines) text += (text.empty() ? "" : " ") + line;
  return begin + prose(text) + "\n";
}

std::string section_text(const std::string& title, const Section& section) {
  std::string text = ".SH " + title + "\n";
  for (const Block& block : section.blocks) text += block_text(block, &block == &section.blocks.front());
  return text;
}

std::string synopsis(const Page& page) {
  std::string text;
  const std::string separator = " | ";
  const std::string flags = page.flags.empty() || page.synopsis.find("[FLAGS]") != std::string::npos ? "" : " [flags]";
  // Alternatives in brackets belong to one form.
  const bool is_one = page.synopsis.find('[') < page.synopsis.find(separator);
  for (std::size_t at = 0; at <= page.synopsis.size();) {
    const std::size_t end =
        is_one ? page.synopsis.size() : std::min(page.synopsis.find(separator, at), page.synopsis.size());
    const std::string form = page.synopsis.substr(at, end - at);
    text += (text.empty() ? "" : ".br\n") + bold(page.name) + (form.empty() ? "" : " " + roff_text(form, false)) +
            roff_text(flags, false) + "\n";
    at = end + separator.size();
  }
  return text;
}

std::string options(const Page& page) {
  std::string text;
  for (const FlagInfo& flag : page.flags) {
    text += ".TP\n" + bold("--" + std::string(flag.name));
    if (!flag.value.empty()) text += " \\fI" + roff_text(flag.value, false) + "\\fR";
    text += "\n" + prose(flag.about) + "\n";
  }
  return text;
}

// The section titles that man(7) recommends.
std::string title_of(const Section& section) {
  return section.title == "Exit codes" ? "EXIT STATUS" : upper(section.title);
}

std::string see_also(const Page& page) {
  std::string text;
  for (const auto& [name, chapter] : {std::pair{"band", 1}, std::pair{"band-exit-codes", 7}})
    if (name != dashed(page.name))
      text += (text.empty() ? "" : ",\n") + bold(name) + "(" + std::to_string(chapter) + ")";
  return ".SH SEE ALSO\n" + text + "\n";
}

}  // namespace

std::string roff_text(std::string_view text, bool at_start) {
  std::string out;
  if (at_start && (text.starts_with('.') || text.starts_with('\''))) out = "\\&";
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = utf8_at(text, at);
    out += glyph(c);
    at += c.bytes;
  }
  return out;
}

std::string man_file(const Page& page) {
  const std::string chapter = std::to_string(page.chapter);
  return "man" + chapter + "/" + dashed(page.name) + "." + chapter;
}

std::string man_page(const Page& page) {
  std::string text = ".\\\" Made from the texts of `band --help` (client/manual).\n.TH " + upper(dashed(page.name)) +
                     " " + std::to_string(page.chapter) + " " + std::string(kDated) +
                     " \"band " BAND_VERSION "\" \"band\"\n.ad l\n.SH NAME\n" + roff_text(dashed(page.name), false) +
                     " \\- " + roff_text(without_quotes(page.about), false) + "\n";
  if (page.chapter == 1) text += ".SH SYNOPSIS\n" + synopsis(page);
  const bool described = !page.sections.empty() && page.sections.front().title.empty();
  if (described) text += section_text("DESCRIPTION", page.sections.front());
  if (!page.flags.empty()) text += ".SH OPTIONS\n" + options(page);
  for (const Section& section : page.sections)
    if (!section.title.empty()) text += section_text(title_of(section), section);
  return text + see_also(page);
}

}  // namespace band::client
