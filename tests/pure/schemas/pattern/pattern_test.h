// Helpers for the tests of the three kinds of patterns.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "schemas/pattern/pattern.h"

namespace band::test {

template <class Pattern>
Pattern parsed(std::string_view text) {
  auto result = Pattern::parse(text);
  REQUIRE_MESSAGE(result.ok(), text, ": ", result.ok() ? "" : result.error().message());
  return result.value();
}

struct CoversRow {
  std::string outer, inner;
  bool covers;
};

template <class Pattern>
void check_covers(const std::vector<CoversRow>& rows) {
  for (const CoversRow& row : rows) {
    CAPTURE(row.outer);
    CAPTURE(row.inner);
    CHECK(parsed<Pattern>(row.outer).covers(parsed<Pattern>(row.inner)) == row.covers);
  }
}

}  // namespace band::test
