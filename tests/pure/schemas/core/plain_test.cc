#include "schemas/core/plain.h"

#include <doctest/doctest.h>

#include <string>

using namespace band;

TEST_CASE("each byte that is not plain ends a run, at every position") {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const bool plain = byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
    CHECK(is_plain(c) == plain);
    for (const std::size_t place : {0, 1, 15, 16, 17, 31, 32, 33, 40}) {
      std::string text(41, 'x');
      text[place] = c;
      CHECK(end_of_plain(text, 0) == (plain ? text.size() : place));
      CHECK(end_of_plain(text, place + 1) == text.size());
    }
  }
  CHECK(end_of_plain("", 0) == 0);
}
