// A page (page.h) as a man page in the format of man(7), for the man(1) of groff and of mandoc.
#pragma once

#include <string>
#include <string_view>

#include "client/manual/page.h"

namespace band::client {

std::string man_page(const Page& page);
std::string man_file(const Page& page);  // "man1/band-run.1"

// Escapes a text so that roff prints it verbatim, for all characters. `at_start`: the text begins a line, where a dot
// would be a request.
std::string roff_text(std::string_view text, bool at_start);

}  // namespace band::client
