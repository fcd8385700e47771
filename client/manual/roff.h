// A page (page.h) as a man page: man(7), as groff's and mandoc's man(1) read it.
#pragma once

#include <string>
#include <string_view>

#include "client/manual/page.h"

namespace band::client {

std::string man_page(const Page& page);
std::string man_file(const Page& page);  // "man1/band-run.1"

// Text that roff prints as it is, whatever characters it has; `at_start`: it begins a line, where a dot would be a
// request.
std::string roff_text(std::string_view text, bool at_start);

}  // namespace band::client
