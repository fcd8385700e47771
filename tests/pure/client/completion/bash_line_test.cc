#include "client/completion/bash_line.h"

#include <doctest/doctest.h>

using namespace band::client;

namespace {

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("words of a bash line are unquoted, and not expanded") {
  struct Row {
    const char *line, *text;
    Words words;
    const char* head;
    char quote;
  };
  const Row rows[] = {
      {"band ", "", {"band", ""}, "", 0},
      {"band run he", "he", {"band", "run", "he"}, "", 0},
      {"band  run\the", "he", {"band", "run", "he"}, "", 0},
      {"band run --target=lo", "lo", {"band", "run", "--target=lo"}, "--target=", 0},
      {"band run --target=", "", {"band", "run", "--target="}, "--target=", 0},
      {"band run \"my na", "my na", {"band", "run", "my na"}, "", '"'},
      {"band run 'my na", "my na", {"band", "run", "my na"}, "", '\''},
      {"band run --name='it", "it", {"band", "run", "--name=it"}, "--name=", '\''},
      {"band run a\\ b", "a\\ b", {"band", "run", "a b"}, "", 0},
      {"band run \"a\"b", "b", {"band", "run", "ab"}, "a", 0},
      {"band run '' x", "x", {"band", "run", "", "x"}, "", 0},
      {"band run \"\\$\\x\" ", "", {"band", "run", "$\\x", ""}, "", 0},
      {"band run $(touch /tmp/x) `id` ", "", {"band", "run", "$(touch", "/tmp/x)", "`id`", ""}, "", 0},
      {"band run he\\", "he\\", {"band", "run", "he\\"}, "", 0},
      {"band run he",
       "other",
       {"band", "run", "he"},
       "he",
       0},  // the text that bash replaces is not at the end of the line
      {"", "", {""}, "", 0},
  };
  for (const Row& row : rows) {
    CAPTURE(row.line);
    const BashLine read = read_bash_line(row.line, row.text);
    CHECK(read.words == row.words);
    CHECK(read.head == row.head);
    CHECK(read.quote == row.quote);
  }
}

TEST_CASE("a word is quoted for its place in the line, without the part before that place") {
  const auto in = [](const char* line, const char* text, const char* word) {
    return in_bash(read_bash_line(line, text), word);
  };
  CHECK(in("band run ", "", "$(touch x)") == "\\$\\(touch\\ x\\)");
  CHECK(in("band run ", "", "a;b|c&d>e<f*g?[h]{i}~j#k!l") == "a\\;b\\|c\\&d\\>e\\<f\\*g\\?\\[h\\]\\{i\\}\\~j\\#k\\!l");
  CHECK(in("band run ", "", "it's \"x\" \\ `y`") == "it\\'s\\ \\\"x\\\"\\ \\\\\\ \\`y\\`");
  CHECK(in("band run \"", "", "$(x) `y` \"z\" \\ a!b") == "\\$(x) \\`y\\` \\\"z\\\" \\\\ a\"\\!\"b");
  CHECK(in("band run '", "", "it's $(x) !y") == "it'\\''s $(x) !y");
  CHECK(in("band run --name=", "", "--name=a b") == "a\\ b");
  CHECK(in("band run ", "", "gr\xC3\xBC\xC3\x9F") == "gr\xC3\xBC\xC3\x9F");
  CHECK(in("band run --name=", "", "--other=x") == "");  // does not begin with the existing part
}
