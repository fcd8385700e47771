#include "server/http_link/input.h"

#include <doctest/doctest.h>

using namespace band;
using namespace band::http;

TEST_CASE("standard input arrives unchanged for any division of the stream, and its end is detected") {
  const std::string first(kMaxPiece, 'a'), second("\0b\n", 3);
  const std::string stream = input_frame(first) + input_frame(second) + input_frame("");
  for (const std::size_t step : {std::size_t{1}, std::size_t{3}, std::size_t{4}, std::size_t{5'000}, stream.size()}) {
    CAPTURE(step);
    InputReader reader;
    std::string out;
    for (std::size_t at = 0; at < stream.size(); at += step) {
      CHECK_FALSE(reader.ended());
      REQUIRE(reader.feed(std::string_view(stream).substr(at, step), out).ok());
    }
    CHECK(out == first + second);
    CHECK(reader.ended());
  }
}

TEST_CASE("an input without its last frame has not ended") {
  InputReader reader;
  std::string out;
  REQUIRE(reader.feed(input_frame("abc") + std::string(3, '\0'), out).ok());
  CHECK(out == "abc");
  CHECK_FALSE(reader.ended());
}

TEST_CASE("a piece that is too large, and bytes after the end, are errors") {
  std::string out;
  CHECK_FALSE(InputReader().feed(input_frame(std::string(kMaxPiece + 1, 'x')), out).ok());
  CHECK_FALSE(InputReader().feed(std::string("\xff\xff\xff\xff", 4), out).ok());
  InputReader reader;
  REQUIRE(reader.feed(input_frame(""), out).ok());
  CHECK_FALSE(reader.feed("x", out).ok());
  CHECK(out.empty());
}
