// Percent-encoding.
#include "schemas/core/percent.h"

#include <doctest/doctest.h>

using namespace band;

TEST_CASE("percent-encoded bytes are decoded, and a stray percent sign is refused") {
  CHECK(percent_decoded("") == "");
  CHECK(percent_decoded("a%20b%2f%2F%25") == "a b//%");
  CHECK(percent_decoded("%00%ff") == std::string("\0\xFF", 2));
  for (const char* wrong : {"%", "a%2", "%2", "%g0", "%0g", "100%", "%%20"}) {
    CAPTURE(wrong);
    CHECK_FALSE(percent_decoded(wrong).has_value());
  }
}
