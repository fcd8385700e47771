#include "client/learn/band_edit.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "client/author/skeleton.h"
#include "schemas/band/band.h"

using namespace band;
using namespace band::client::learn;

namespace {

Line line(const std::string& section, const std::string& domain, const std::string& pattern, bool optional = false) {
  Line made;
  made.section = section;
  made.domain = domain;
  made.pattern = pattern;
  made.optional = optional;
  made.reason = "why";
  made.run = 2;
  return made;
}

Removal gone(const std::string& domain, const std::string& pattern) { return {"allow", domain, pattern, "", ""}; }

std::string after(const std::string& yaml, const std::vector<Line>& lines, const std::vector<Removal>& removals = {}) {
  const auto result = edited("---\n" + yaml + "---\n\nProse.\n", "t/BAND.md", lines, removals);
  if (!result.ok()) return "error: " + result.error().doing;
  const std::string head = "---\n", tail = "---\n\nProse.\n";
  REQUIRE(result->starts_with(head));
  REQUIRE(result->ends_with(tail));
  return result->substr(head.size(), result->size() - head.size() - tail.size());
}

}  // namespace

TEST_CASE("a line is added at the end of an existing list, and comments are kept") {
  CHECK(after("band: t\n"
              "allow:\n"
              "  # what it reads\n"
              "  read:\n"
              "    - \"./a\"   # the first\n"
              "    - path: ./b\n"
              "      optional: true\n"
              "    # after it\n"
              "  net: [x.example]   # hosts\n",
              {line("allow", "read", "./c*", true)}) ==
        "band: t\n"
        "allow:\n"
        "  # what it reads\n"
        "  read:\n"
        "    - \"./a\"   # the first\n"
        "    - path: ./b\n"
        "      optional: true\n"
        "    - {path: \"./c*\", optional: true}   # run 2: why\n"
        "    # after it\n"
        "  net: [x.example]   # hosts\n");
}

TEST_CASE("in flow lists, single patterns and flow maps the line is inserted, and its comment follows the row") {
  CHECK(after("band: t\nallow:\n  net: [x.example]   # hosts\n", {line("allow", "net", "y.example")}) ==
        "band: t\nallow:\n  net: [x.example, \"y.example\"]   # hosts   # \"y.example\": run 2: why\n");
  CHECK(after("band: t\nallow:\n  net: [\n    \"a#b]\",   # ]\n    ]\n", {line("allow", "net", "y.example")})
            .starts_with("error"));
  CHECK(after("band: t\nallow:\n  read: [\n    \"./a]\",   # ]\n    ]\n", {line("allow", "read", "./b")}) ==
        "band: t\nallow:\n  read: [\n    \"./a]\", \"./b\"   # ]   # \"./b\": run 2: why\n    ]\n");
  CHECK(after("band: t\nallow:\n  net: x.example   # one\n", {line("allow", "net", "y.example")}) ==
        "band: t\nallow:\n  net: [\"x.example\", \"y.example\"]   # one   # \"y.example\": run 2: why\n");
  CHECK(after("band: t\nallow: {net: [], read: './a'}\n", {line("allow", "net", "y.example")}) ==
        "band: t\nallow: {net: [\"y.example\"], read: './a'}   # \"y.example\": run 2: why\n");
  CHECK(after("band: t\nallow: {read: './a, b'}\n", {line("allow", "net", "y.example")}) ==
        "band: t\nallow: {read: './a, b', net: [\"y.example\"]}   # \"y.example\": run 2: why\n");
  CHECK(after("band: t\nallow: {}\n", {line("allow", "net", "y.example")}) ==
        "band: t\nallow: {net: [\"y.example\"]}   # \"y.example\": run 2: why\n");
}

TEST_CASE("missing lists and sections are added, before limit and env and the comments above them") {
  CHECK(after("band: t\nallow:\n    read: [\"./a\"]\n", {line("allow", "cli", "git log")}) ==
        "band: t\nallow:\n    cli:\n      - \"git log\"   # run 2: why\n    read: [\"./a\"]\n");
  CHECK(after("band: t\n# how much\nlimit:\n  maxFiles: 5\n",
              {line("allow", "cli", "git log"), line("allow", "cli", "git show ''*"),
               line("insist", "cli", "git add")}) ==
        "band: t\n"
        "allow:\n  cli:\n    - \"git log\"   # run 2: why\n    - \"git show ''*\"   # run 2: why\n"
        "insist:\n  cli:\n    - \"git add\"   # run 2: why\n"
        "# how much\nlimit:\n  maxFiles: 5\n");
  CHECK(after("band: t\n",
              {line("allow", "write", "./a"), line("allow", "net", "x.example"), line("allow", "cli", "git")}) ==
        "band: t\nallow:\n  cli:\n    - \"git\"   # run 2: why\n  net:\n    - \"x.example\"   # run 2: why\n"
        "  write:\n    - \"./a\"   # run 2: why\n");
  CHECK(after("band: t\n", {line("allow", "read", "./a \"b\"\\*")}) ==
        "band: t\nallow:\n  read:\n    - \"./a \\\"b\\\"\\\\*\"   # run 2: why\n");
}

TEST_CASE("a list with its key's indentation, deeper maps and other sections are not changed") {
  CHECK(after("band: t\nallow:\n  read:\n  - ./a\n  write:\n  - ./b\nt:\n  allow: {read: [x]}\n",
              {line("allow", "read", "./c"), line("allow", "write", "./d")}) ==
        "band: t\nallow:\n  read:\n  - ./a\n  - \"./c\"   # run 2: why\n  write:\n  - ./b\n  - \"./d\"   # run 2: why\n"
        "t:\n  allow: {read: [x]}\n");
}

TEST_CASE("unused lines are removed, with their key if it has no other line, and with the section") {
  const std::string two = "band: t\nallow:\n  read:\n    - ./a   # one\n    - ./b\n  net: [x.example, y.example]\n";
  CHECK(after(two, {}, {gone("read", "./a")}) ==
        "band: t\nallow:\n  read:\n    - ./b\n  net: [x.example, y.example]\n");
  CHECK(after(two, {}, {gone("net", "x.example")}) ==
        "band: t\nallow:\n  read:\n    - ./a   # one\n    - ./b\n  net: [y.example]\n");
  CHECK(after(two, {}, {gone("net", "y.example")}) ==
        "band: t\nallow:\n  read:\n    - ./a   # one\n    - ./b\n  net: [x.example]\n");
  CHECK(after(two, {}, {gone("net", "y.example"), gone("net", "x.example")}) ==
        "band: t\nallow:\n  read:\n    - ./a   # one\n    - ./b\n");
  CHECK(after(two, {line("allow", "cli", "git log")}, {gone("read", "./b"), gone("read", "./a")}) ==
        "band: t\nallow:\n  cli:\n    - \"git log\"   # run 2: why\n  net: [x.example, y.example]\n");
  CHECK(after("band: t\nallow:\n  read:\n  - ./a\nlimit:\n  maxFiles: 3\n", {}, {gone("read", "./a")}) ==
        "band: t\nlimit:\n  maxFiles: 3\n");
  CHECK(after("band: t\nallow:\n  read: ./a\n", {}, {gone("read", "./a")}) == "band: t\n");
}

TEST_CASE("line ends, also a missing last one, are kept") {
  const auto crlf = edited("---\r\nband: t\r\n---\r\nProse", "t/BAND.md", {line("allow", "read", "./a")}, {});
  REQUIRE(crlf.ok());
  CHECK(*crlf == "---\r\nband: t\r\nallow:\r\n  read:\r\n    - \"./a\"   # run 2: why\r\n---\r\nProse");
  CHECK(!edited("---\r\nband: t\n---\r\n", "t/BAND.md", {line("allow", "read", "./a")}, {}).ok());
}

TEST_CASE("a text that cannot be edited, or would get another meaning, is an error") {
  CHECK(after("{band: t}\n", {line("allow", "read", "./a")}).starts_with("error"));
  CHECK(after("band: t\nallow: {read: [./a]}\n", {}, {gone("read", "./a")}).starts_with("error"));
  CHECK(after("band: t\n", {}, {gone("read", "./a")}).starts_with("error"));
  CHECK(after("band: t\n", {line("allow", "read", "no path")}).starts_with("error"));
  CHECK(after("band: t\nallow:\n", {line("allow", "read", "./a")}).starts_with("error"));
  CHECK(!edited("no band", "t/BAND.md", {}, {}).ok());
}

TEST_CASE("text from a script cannot leave its comment or its string") {
  Line hostile = line("allow", "read", "./a\\\"\n- evil");
  hostile.reason = "x\n    - \"./**\"";
  hostile.source = "\x1b[2J\xe2\x80\xae";
  const std::string text = after("band: t\n", {hostile});
  if (!text.starts_with("error")) CHECK(std::count(text.begin(), text.end(), '\n') == 4);
  hostile.pattern = "./a";
  const std::string safe = after("band: t\n", {hostile});
  CHECK(std::count(safe.begin(), safe.end(), '\n') == 4);
  CHECK(safe.find('\x1b') == std::string::npos);
  hostile.reason = std::string(5'000, 'x');
  CHECK(after("band: t\n", {hostile}).size() < 400);
}

TEST_CASE("a long comment ends with a whole word") {
  Line made = line("allow", "read", "./a");
  made.reason = "";
  for (int i = 0; i < 80; ++i) made.reason += "word" + std::to_string(1'000 + i) + " ";
  const std::string text = comment_text(made);
  CHECK(text.size() < 220);
  REQUIRE(text.ends_with(" ..."));
  const std::string last = text.substr(0, text.size() - 4);
  CHECK(last.size() - last.rfind(' ') == std::string(" word1000").size());
}

TEST_CASE("the first line replaces the comment of a new band that nothing is open, and no other comment") {
  const std::string fresh = client::new_skill_files("t", "go")[1].content;
  REQUIRE(fresh.find("# Nothing is allowed yet") != std::string::npos);
  const auto opened = edited(fresh, "t/BAND.md", {line("allow", "read", "./a")}, {});
  REQUIRE(opened.ok());
  CHECK(opened->find("version: \"0.1.0\"\nallow:\n  read:\n    - \"./a\"   # run 2: why\nlimit:\n") !=
        std::string::npos);
  CHECK(opened->find("#   ") == std::string::npos);
  // A comment that its author has changed is kept, and the text is unchanged while nothing is opened.
  std::string changed = fresh;
  changed.replace(changed.find("Nothing is"), 10, "Not much is");
  const auto kept = edited(changed, "t/BAND.md", {line("allow", "read", "./a")}, {});
  REQUIRE(kept.ok());
  CHECK(kept->find("# Not much is allowed yet") != std::string::npos);
  CHECK(kept->find("#   EXAMPLE_TOKEN") != std::string::npos);
  CHECK(edited(fresh, "t/BAND.md", {}, {}).ok());
  CHECK(*edited(fresh, "t/BAND.md", {}, {}) == fresh);
}
