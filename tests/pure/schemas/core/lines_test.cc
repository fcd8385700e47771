#include "schemas/core/lines.h"

#include <doctest/doctest.h>

using namespace band;

namespace {

using Lines = std::vector<std::string_view>;

}  // namespace

TEST_CASE("a line feed at the end of a text adds no line, and empty lines count") {
  CHECK(lines_of("") == Lines{});
  CHECK(lines_of("\n") == Lines{""});
  CHECK(lines_of("a") == Lines{"a"});
  CHECK(lines_of("a\n") == Lines{"a"});
  CHECK(lines_of("a\n\nb\r\n\n") == Lines{"a", "", "b\r", ""});
}

TEST_CASE("the first line ends before its line feed") {
  CHECK(first_line("").empty());
  CHECK(first_line("\na").empty());
  CHECK(first_line("a") == "a");
  CHECK(first_line("a\nb\n") == "a");
}
