// What `band COMMAND --help` and the man page of a command are made of: the same page as plain data. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/terminal/verbs.h"
#include "schemas/core/result.h"

namespace band::client {

struct Term {
  std::string word, about;  // "band target list", "* marks the one that is meant ..."
};

// Paragraph: lines of prose. Example: lines to type. Terms: lines that have a word and what it means; `terms` are the
// same, read.
struct Block {
  enum class Kind { Paragraph, Example, Terms } kind;
  std::vector<std::string> lines;  // as they are written, without newlines
  std::vector<Term> terms = {};
};

struct Section {
  std::string title;  // "Exit codes"; empty for what has none
  std::vector<Block> blocks;
};

struct Page {
  std::string name;      // "band", "band run", "band exit-codes"
  int chapter = 1;       // of the manual
  std::string about;     // a line
  std::string synopsis;  // what stands behind the name; alternatives with " | " between; "" when nothing does
  std::vector<FlagInfo> flags;
  std::vector<Section> sections;
};

Page page_of(const VerbInfo& verb);
Page overview();         // band(1): the commands by groups
Page exit_codes_page();  // band-exit-codes(7)
// band(1), one page for each verb that is not hidden, band-exit-codes(7).
std::vector<Page> all_pages();

// Reads a text of texts.cc, whose form is described there.
std::vector<Section> sections_of(std::string_view text);

// texts.cc. All of a verb but name, arguments and flags; "" for a verb that has no text.
std::string_view text_of_verb(std::string_view verb);
struct ExitInfo {
  Code code;
  std::string_view about;
};
std::span<const ExitInfo> exit_table();  // one for each Code, in the order of the numbers
std::string_view intro();                // of band(1)
std::string_view first_steps();

}  // namespace band::client
