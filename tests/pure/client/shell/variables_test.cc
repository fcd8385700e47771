// The variables that every script has (client/shell/variables.h).
#include "client/shell/variables.h"

#include <doctest/doctest.h>

using band::client::is_set_by_shell_or_band;

TEST_CASE("bash and band set these variables, but not others with the same beginning") {
  for (const char* name : {"BAND_LIB", "INPUT_PATH", "HOME", "SSL_CERT_FILE", "RANDOM", "COPROC", "BASH_REMATCH", "_",
                           "COMP_WORDS", "COMPREPLY", "HISTFILE", "PROMPT_COMMAND", "LC_ALL", "SRANDOM", "TZ"}) {
    CAPTURE(name);
    CHECK(is_set_by_shell_or_band(name));
  }
  for (const char* name :
       {"COMPANY_TOKEN", "HISTORY_FILE", "PROMPT_TEMPLATE", "BAND_LB", "SHELL_TOKEN", "REGION", ""}) {
    CAPTURE(name);
    CHECK(!is_set_by_shell_or_band(name));
  }
}
