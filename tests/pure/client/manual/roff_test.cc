#include "client/manual/roff.h"

#include <doctest/doctest.h>

using namespace band;
using namespace band::client;

TEST_CASE("roff prints a text unchanged: no character is read as a request, an escape or another character") {
  CHECK(roff_text(".SH x", true) == "\\&.SH x");
  CHECK(roff_text("'br", true) == "\\&\\(aqbr");
  CHECK(roff_text("a.b 'c'", true) == "a.b \\(aqc\\(aq");
  CHECK(roff_text("--no-flag", false) == "\\-\\-no\\-flag");
  CHECK(roff_text("\\n(.k `x` ^ ~ \"q\"", false) == "\\en(.k \\(gax\\(ga \\(ha \\(ti \\(dqq\\(dq");
  CHECK(roff_text("gr\xC3\xBC\xC3\x9F", false) == "gr\\[u00FC]\\[u00DF]");
}

TEST_CASE("a man page has all parts of its page, in the usual order") {
  const Page page{.name = "band try",
                  .about = "a `page` of a test",
                  .synopsis = "one NAME | two",
                  .flags = {{"dry-run", "", "only look"}, {"to", "DIR", "put it there; `.` is here"}},
                  .sections = {{"",
                                {{Block::Kind::Paragraph, {".dot", "and `more`, it's"}},
                                 {Block::Kind::Example, {"  band try one", "  .x"}}}},
                               {"Exit codes", {{Block::Kind::Terms, {}, {{"2", "wrong"}}}}}}};
  CHECK(man_file(page) == "man1/band-try.1");
  const std::string text = man_page(page);
  CAPTURE(text);
  const std::string wanted =
      "\\- a page of a test\n"
      ".SH SYNOPSIS\n\\fBband try\\fR one NAME [flags]\n.br\n\\fBband try\\fR two [flags]\n"
      ".SH DESCRIPTION\n\\&.dot and \\fBmore\\fR, it\\(aqs\n.PP\n.in +4n\n.EX\nband try one\n\\&.x\n.EE\n.in\n"
      ".SH OPTIONS\n.TP\n\\fB\\-\\-dry\\-run\\fR\nonly look\n.TP\n\\fB\\-\\-to\\fR \\fIDIR\\fR\nput it there; "
      "\\fB.\\fR "
      "is here\n"
      ".SH EXIT STATUS\n.TP\n\\fB2\\fR\nwrong\n"
      ".SH SEE ALSO\n\\fBband\\fR(1),\n\\fBband\\-exit\\-codes\\fR(7)\n";
  CHECK(text.find(wanted) != std::string::npos);
  CHECK(text.find("\n.TH BAND\\-TRY 1 ") == std::string::npos);
  CHECK(text.find("\n.TH BAND-TRY 1 2") != std::string::npos);
  CHECK(man_page(page) == text);  // does not depend on the day
}
