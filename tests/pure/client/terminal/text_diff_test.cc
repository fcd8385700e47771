// The differences of two texts (client/terminal/text_diff.h).
#include "client/terminal/text_diff.h"

#include <doctest/doctest.h>

using namespace band::client;

TEST_CASE("equal texts have no difference") {
  CHECK(text_diff("", "") == "");
  CHECK(text_diff("a\nb\n", "a\nb\n") == "");
}

TEST_CASE("a changed line is shown with three lines around it") {
  CHECK(text_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nX\n6\n7\n8\n9\n") ==
        "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8\n");
}

TEST_CASE("distant differences are in separate hunks") {
  const std::string middle = "a\nb\nc\nd\ne\nf\ng\nh\ni\n";
  CHECK(text_diff("1\n" + middle + "2\n", middle + "2\n3\n") ==
        "@@ -1,4 +1,3 @@\n-1\n a\n b\n c\n@@ -9,3 +8,4 @@\n h\n i\n 2\n+3\n");
}

TEST_CASE("a missing line feed at the end is a difference") {
  CHECK(text_diff("a\n", "a") == "@@ -1 +1 @@\n-a\n+a\n\\ no line feed at the end\n");
  CHECK(text_diff("a\r\n", "a\n") == "@@ -1 +1 @@\n-a\\r\n+a\n");
  CHECK(text_diff("", "x\n") == "@@ -0,0 +1 @@\n+x\n");
  CHECK(text_diff("x\n", "") == "@@ -1 +0,0 @@\n-x\n");
}

TEST_CASE("the shortest difference is found between a common head and tail") {
  CHECK(text_diff("a\nb\nc\nd\n", "a\nc\nb\nc\nd\n") == "@@ -1,4 +1,5 @@\n a\n+c\n b\n c\n d\n");
}

TEST_CASE("long texts and long lines are cut") {
  std::string wanted, got;
  for (int i = 0; i < 3000; ++i) {
    wanted += "w" + std::to_string(i) + "\n";
    got += "g" + std::to_string(i) + "\n";
  }
  const std::string text = text_diff(wanted, got, 10);
  CHECK(text.find("-w9\n... and 5990 lines more\n") != std::string::npos);
  CHECK(text_diff(std::string(1000, 'x') + "\n", "y\n").size() < 400);
}

TEST_CASE("the difference of two texts is a unified diff") {
  CHECK(unified_diff("f", "a\nb\n", "a\nb\n").empty());
  CHECK(unified_diff("f", "1\n2\n3\n4\n5\n", "1\n2\n3\nx\n4\n5\n") ==
        "--- f\n+++ f\n@@ -1,5 +1,6 @@\n 1\n 2\n 3\n+x\n 4\n 5\n");
  std::string before, text;
  for (int i = 1; i <= 30; ++i) before += std::to_string(i) + "\n";
  text = before;
  text.insert(0, "x\n");
  text.erase(text.find("\n20\n") + 1, 3);
  CHECK(unified_diff("f", before, text) ==
        "--- f\n+++ f\n@@ -1,3 +1,4 @@\n+x\n 1\n 2\n 3\n@@ -17,7 +18,6 @@\n 17\n 18\n 19\n-20\n 21\n 22\n 23\n");
}
