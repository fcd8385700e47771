// Rules of cli that promise more than they hold (schemas/unbound_rules.h).
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "schemas/unbound_rules.h"

using namespace band;

namespace {

std::vector<std::string> noted(const std::vector<std::string>& allow, const std::vector<std::string>& deny) {
  Domain cli;
  cli.opened.emplace_back();
  for (const std::string& pattern : allow)
    cli.opened[0].push_back({pattern, "x/BAND.md:" + std::to_string(1 + cli.opened[0].size())});
  for (const std::string& pattern : deny)
    cli.deny.push_back({pattern, "d/BAND.md:" + std::to_string(1 + cli.deny.size())});
  std::vector<std::string> texts;
  for (const Diagnostic& note : unbound_rules(cli)) texts.push_back(note.text());
  return texts;
}

}  // namespace

TEST_CASE("a rule about an interpreter's arguments is noted") {
  const auto notes = noted({"gh issue *", "python3 -m json.tool", "awk '{print}'"}, {"/usr/bin/python3.11 -c *"});
  REQUIRE(notes.size() == 3);
  CHECK(notes[0].find(
            "d/BAND.md:1: cli \"/usr/bin/python3.11 -c *\" binds less than it says: `python3.11` runs what") == 0);
  CHECK(notes[1].find("x/BAND.md:2: cli \"python3 -m json.tool\" binds less than it says: `python3` runs what") == 0);
  CHECK(notes[2].find("x/BAND.md:3: cli \"awk '{print}'\" binds less") == 0);
}

TEST_CASE("a denial of arguments of a program that starts itself is noted; allowing some is not") {
  const auto notes = noted({"git *", "git status"}, {"git push *", "gh auth *"});
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].find("d/BAND.md:1: cli \"git push *\" binds less than it says: `git` starts itself") == 0);
}

TEST_CASE("a rule that opens or closes all of a program binds what it says") {
  CHECK(noted({"python3 *", "node **", "jq -r *"}, {"git *", "node *", "rm -rf *", "nosuchprogram -c *"}).empty());
}
