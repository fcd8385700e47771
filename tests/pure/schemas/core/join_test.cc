#include "schemas/core/join.h"

#include <doctest/doctest.h>

TEST_CASE("texts are joined with a separator between them, and none at the beginning") {
  CHECK(band::join({}, ", ").empty());
  CHECK(band::join({"a"}, ", ") == "a");
  CHECK(band::join({"a", "", "b"}, ", ") == "a, , b");
  CHECK(band::join({"", "a"}, ", ") == "a");
}
