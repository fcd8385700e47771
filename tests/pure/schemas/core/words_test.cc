#include "schemas/core/words.h"

#include <doctest/doctest.h>

using namespace band;

TEST_CASE("a word is found only as a whole") {
  CHECK(contains_word("gh: command not found", "gh"));
  CHECK(contains_word("run 'gh' now", "gh"));
  for (const char* text : {"right", "ghost", "gh-pages", "my_gh", "", "g h"}) CHECK_FALSE(contains_word(text, "gh"));
  CHECK(contains_word("right gh", "gh"));  // a later place
  CHECK_FALSE(contains_word("gh", ""));
}

TEST_CASE("in names of hosts, a dot between letters or digits continues the word") {
  CHECK(contains_word("see https://a.example/x", "a.example", true));
  CHECK(contains_word("cannot reach a.example.", "a.example", true));  // the end of a sentence
  CHECK_FALSE(contains_word("https://b.a.example/", "a.example", true));
  CHECK_FALSE(contains_word("https://a.example.org/", "a.example", true));
  CHECK(contains_word("https://b.a.example/", "a.example"));
}
