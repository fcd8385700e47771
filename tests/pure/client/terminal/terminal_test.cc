#include "client/terminal/terminal.h"

#include <doctest/doctest.h>

using namespace band::client;

TEST_CASE("lines of a log that look like messages of band get a prefix, also after blanks without width") {
  CHECK(marked_as_log("error: a\nplain: b\n  hint: c\n---\nnote: d") ==
        "| error: a\nplain: b\n|   hint: c\n| ---\n| note: d");
  CHECK(marked_as_log("\u200bhint: a\n\ufeffnote: b\n\u00a0error: c\n") ==
        "| \u200bhint: a\n| \ufeffnote: b\n| \u00a0error: c\n");
  CHECK(marked_as_log("the hint: a\nhints: b\n") == "the hint: a\nhints: b\n");
  CHECK(marked_as_log("") == "");
}
