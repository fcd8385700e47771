// The manual page of a command as plain data. `band COMMAND --help` and the man page are made from this data. A verb is
// the name of a command ("run"). Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/terminal/verbs.h"
#include "schemas/core/result.h"

namespace band::client {

struct Term {
  std::string word, about;  // "band target list", "lists all targets; * marks ..."
};

// A part of a section. Paragraph: lines of prose. Example: lines that the user types. Terms: lines with a term and its
// meaning; `terms` contains the parsed lines.
struct Block {
  enum class Kind { Paragraph, Example, Terms } kind;
  std::vector<std::string> lines;  // verbatim, without newlines
  std::vector<Term> terms = {};
};

struct Section {
  std::string title;  // "Exit codes"; "" for a section without a title
  std::vector<Block> blocks;
};

struct Page {
  std::string name;      // "band", "band run", "band exit-codes"
  int chapter = 1;       // chapter of the manual
  std::string about;     // one line
  std::string synopsis;  // the arguments after the name, alternatives separated by " | "; may be ""
  std::vector<FlagInfo> flags;
  std::vector<Section> sections;
};

Page page_of(const VerbInfo& verb);  // band-VERB(1)
Page overview();                     // band(1): the commands in groups
Page exit_codes_page();              // band-exit-codes(7)
// band(1), one page for each verb that is not hidden, band-exit-codes(7).
std::vector<Page> all_pages();

// Parses a text of texts.cc, which describes the form of these texts at its beginning.
std::vector<Section> sections_of(std::string_view text);

// Returns the prose of a verb's page, which is shown after the name, the arguments and the flags; "" for a verb without
// prose. This function and the functions below are implemented in texts.cc.
std::string_view text_of_verb(std::string_view verb);
struct ExitInfo {
  Code code;
  std::string_view about;
};
std::span<const ExitInfo> exit_table();  // one entry for each Code, in the order of the exit codes
std::string_view intro();                // the beginning of band(1)
std::string_view first_steps();          // the end of band(1)

}  // namespace band::client
