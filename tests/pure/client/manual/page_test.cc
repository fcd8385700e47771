#include "client/manual/page.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "client/manual/roff.h"
#include "client/manual/terminal_page.h"

using namespace band;
using namespace band::client;

namespace {

using Kind = Block::Kind;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a text is parsed into paragraphs, examples, terms with their meaning, and sections") {
  const auto sections = sections_of(
      "\nSome prose\nin two lines.\n\n  band run a/b\n  band run c/d\n\n  band one   the first\n  band two with more\n"
      "             the second\n\nMore: prose.\n\nExit codes: the command's own;\nor 125.\n\nExamples:\n  band x\n");
  REQUIRE(sections.size() == 3);
  const auto& blocks = sections[0].blocks;
  CHECK(sections[0].title == "");
  REQUIRE(blocks.size() == 4);
  CHECK(blocks[0].kind == Kind::Paragraph);
  CHECK(blocks[0].lines == std::vector<std::string>{"Some prose", "in two lines."});
  CHECK(blocks[1].kind == Kind::Example);
  REQUIRE(blocks[2].kind == Kind::Terms);
  REQUIRE(blocks[2].terms.size() == 2);
  CHECK(blocks[2].terms[0].word == "band one");
  CHECK(blocks[2].terms[0].about == "the first");
  CHECK(blocks[2].terms[1].word == "band two with more");
  CHECK(blocks[2].terms[1].about == "the second");
  CHECK(blocks[3].lines == std::vector<std::string>{"More: prose."});
  CHECK(sections[1].title == "Exit codes");
  CHECK(sections[1].blocks.at(0).lines == std::vector<std::string>{"the command's own;", "or 125."});
  CHECK(sections[2].title == "Examples");
  CHECK(sections[2].blocks.at(0).kind == Kind::Example);
  CHECK(sections_of("").empty());
  const auto kind = [](const char* text) { return sections_of(text).at(0).blocks.at(0).kind; };
  CHECK(kind("  band one  the first\n  band two\n            the second\n") == Kind::Terms);
  CHECK(kind("  band one  # the first\n") == Kind::Example);                 // a comment
  CHECK(kind("  cases:    all of them\n    - name: a\n") == Kind::Example);  // the meanings are not in one column
  CHECK(kind("  band one  the first\n  band two\n") == Kind::Example);
}

TEST_CASE("every command's help has all its flags, and its help and man page have every word of its text") {
  const Terminal terminal;
  for (const VerbInfo& verb : verbs()) {
    CAPTURE(verb.name);
    const Page page = page_of(verb);
    const std::string help = terminal_page(page, terminal), manual = man_page(page);
    CHECK(has(help, "Usage: band " + std::string(verb.name)));
    for (const std::string_view flag : verb.flags) {
      CHECK(has(help, "--" + std::string(flag)));
      CHECK(has(manual, "\\fB" + roff_text("--" + std::string(flag), false) + "\\fR"));
    }
    std::string words(text_of_verb(verb.name));
    std::replace(words.begin(), words.end(), '\n', ' ');
    for (std::size_t start = 0; start < words.size();) {
      const std::size_t end = std::min(words.find(' ', start), words.size());
      std::string word = words.substr(start, end - start);
      start = end + 1;
      CHECK_MESSAGE(has(help, word), word);
      if (word.find('`') != std::string::npos || word == "Exit" || word == "codes:") continue;  // bold; EXIT STATUS
      CHECK_MESSAGE(has(manual, roff_text(word, false)), word);
    }
  }
}

TEST_CASE("the flags of band new name the form that they belong to") {
  const std::string help = terminal_page(page_of(*find_verb("new")), Terminal());
  CHECK(has(help, "with `new script`: look for the skill in DIR first"));
  CHECK(has(help, "with `new skill`: create the skill's directory in DIR"));
}

TEST_CASE("the help of a flag describes it for this command") {
  const auto help = [](const char* verb) { return terminal_page(page_of(*find_verb(verb)), Terminal()); };
  CHECK(has(help("run"), "--input JSON|@FILE|-"));
  CHECK(has(help("call"), "--input JSON|-  "));
  CHECK(!has(help("call"), "--input JSON|@FILE|-"));
  for (const char* verb : {"run", "call", "shell"}) {
    CHECK(!has(help(verb), "with `exec`"));
    CHECK(!has(help(verb), "with `test`"));
  }
  CHECK(!has(help("test"), "what the script logs"));
  for (const char* verb : {"setup", "teardown", "login"}) CHECK(!has(help(verb), "band target use"));
}

TEST_CASE("the exit codes are sorted by number, with 125 in the list for all commands") {
  int last = -1;
  const Page page = exit_codes_page();
  for (const Term& term : page.sections.front().blocks.front().terms) {
    const int number = std::stoi(term.word);
    CHECK_MESSAGE(number >= last, term.word);
    last = number;
  }
  CHECK(has(terminal_exit_codes(), "\n  125 "));
  CHECK(!has(terminal_page(page_of(*find_verb("run")), Terminal()), "\n  125 "));
}

TEST_CASE("the overview lists every command except those for programs, in groups, and each has a page") {
  const std::string text = terminal_overview(Terminal());
  const std::vector<Page> pages = all_pages();
  for (const VerbInfo& verb : verbs()) {
    CAPTURE(verb.name);
    const std::string name(verb.name);
    const bool shown = verb.group != VerbGroup::Hidden;
    CHECK(has(text, "\n  " + name + " ") == shown);
    CHECK(std::any_of(pages.begin(), pages.end(), [&](const Page& page) { return page.name == "band " + name; }) ==
          shown);
  }
  for (const VerbGroupInfo& group : kVerbGroups) CHECK(has(text, "\n\n" + std::string(group.title) + ":\n"));
}
