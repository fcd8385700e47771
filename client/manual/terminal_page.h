// A page (page.h) as text for a terminal. `terminal` decides only whether the titles are bold.
#pragma once

#include <string>

#include "client/manual/page.h"
#include "client/terminal/terminal.h"

namespace band::client {

std::string terminal_page(const Page& page, const Terminal& terminal);  // `band COMMAND --help`
std::string terminal_overview(const Terminal& terminal);                // `band --help`
std::string terminal_exit_codes();                                      // `band help exit-codes`

}  // namespace band::client
