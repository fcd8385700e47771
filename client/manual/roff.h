// Writes a page (page.h) as a man page in the format of man(7), which man(1) displays with groff or mandoc.
#pragma once

#include <string>
#include <string_view>

#include "client/manual/page.h"

namespace band::client {

std::string man_page(const Page& page);
std::string man_file(const Page& page);  // the file name of the man page: "man1/band-run.1"

// Escapes a text so that roff prints all its characters verbatim. `at_start`: the text is at the beginning of a line,
// where an unescaped `.` or `'` would begin a request of roff.
std::string roff_text(std::string_view text, bool at_start);

}  // namespace band::client
