// Notes about rules of cli, net, read and write without the expected effect (schemas/programs/unbound_rules.h).
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "schemas/programs/unbound_rules.h"

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

TEST_CASE("a rule for an interpreter's arguments is noted") {
  const auto notes = noted({"gh issue *", "python3 -m json.tool", "awk '{print}'"}, {"/usr/bin/python3.11 -c *"});
  REQUIRE(notes.size() == 3);
  CHECK(notes[0].find("d/BAND.md:1: cli \"/usr/bin/python3.11 -c *\" restricts less than it appears to: `python3.11` "
                      "runs code from") == 0);
  CHECK(notes[1].find(
            "x/BAND.md:2: cli \"python3 -m json.tool\" restricts less than it appears to: `python3` runs code from") ==
        0);
  CHECK(notes[2].find("x/BAND.md:3: cli \"awk '{print}'\" restricts less") == 0);
}

TEST_CASE("a deny for arguments of a program that starts itself is noted; an allow is not") {
  const auto notes = noted({"git *", "git status"}, {"git push *", "gh auth *"});
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].find("d/BAND.md:1: cli \"git push *\" restricts less than it appears to: `git` starts itself") == 0);
}

TEST_CASE("a rule that opens or closes all of a program is not noted") {
  CHECK(noted({"python3 *", "node **", "jq -r *"}, {"git *", "node *", "rm -rf *", "nosuchprogram -c *"}).empty());
  CHECK(noted({}, {"git", "python3"}).empty());      // with any arguments
  CHECK(noted({"git", "python3"}, {}).size() == 1);  // python3 without arguments, which reads its input
}

TEST_CASE("a host rule that reaches less or more than it appears to is noted with its position") {
  const auto noted_of = [](const std::string& allow, const std::string& deny = "") {
    Domain net{{{{allow, "x/BAND.md:1"}}}, {}, {}};
    if (!deny.empty()) net.deny.push_back({deny, "x/BAND.md:2"});
    std::string text;
    for (const Diagnostic& note : unbound_hosts(net)) text += note.text() + "\n";
    return text;
  };
  CHECK(noted_of("10.1.2.0/24:8080") ==
        "x/BAND.md:1: net \"10.1.2.0/24:8080\" is private (RFC 1918): a server refuses the run unless its "
        "gateway.allow_private includes it; ask the operator to add it to gateway.allow_private\n");
  CHECK(noted_of("localhost:5432").find("gateway.allow_private includes 127.0.0.1") != std::string::npos);
  CHECK(noted_of("169.254.169.254").find("no script can reach") != std::string::npos);
  CHECK(noted_of("[2001:4860::8888]").find("no IPv6") != std::string::npos);
  CHECK(noted_of("*").find("every public host") != std::string::npos);
  CHECK(noted_of("0.0.0.0/0:*").find("every public address") != std::string::npos);
  for (const char* dns : {"a.example:53", "8.8.8.8:53", "*:53"})
    CHECK(noted_of(dns).find("has no effect: the gateway answers all DNS queries itself; remove the rule") !=
          std::string::npos);
  CHECK(noted_of("*", "a.example").find("x/BAND.md:2: net \"a.example\" is denied only by name") != std::string::npos);
  for (const char* plain : {"a.example", "*.example:22", "8.8.8.8", "8.8.8.0/24:5353", "128.0.0.0/1",
                            "b\xc3\xbc"
                            "cher.example"})
    CHECK(noted_of(plain, "b.example") == "");
}

TEST_CASE("a path that a server closes by default is noted as a path of the machine") {
  Rules rules;
  rules.read.opened = {{{"/home/me/data/**", "x/BAND.md:1"},
                        {"/opt/a", "x/BAND.md:2"},
                        {"/var/library/a", "x/BAND.md:3"},
                        {"./home/**", "x/BAND.md:4"}}};
  rules.write.opened = {{{"/etc", "x/BAND.md:5"}}};
  const auto notes = closed_paths(rules);
  REQUIRE(notes.size() == 2);
  CHECK(notes[0].text().find("x/BAND.md:1: read \"/home/me/data/**\" is a path of the machine") == 0);
  CHECK(notes[0].hint.find("write `./...` and run with --workspace") != std::string::npos);
  CHECK(notes[1].text().find("x/BAND.md:5: write \"/etc\" ") == 0);
}

TEST_CASE("a rule of write that spells a name which programs execute or obey is noted, with the reason") {
  Rules rules;
  rules.write.opened = {{{"./.envrc", "x/BAND.md:1"},
                         {"./**/.vscode/**", "x/BAND.md:2"},
                         {"./gradle/wrapper/gradle-wrapper.jar", "x/BAND.md:3"},
                         {"./.git/**", "x/BAND.md:4"},
                         {"./**", "x/BAND.md:5"},
                         {"./.cache/**", "x/BAND.md:6"},
                         {"./Makefile", "x/BAND.md:7"},
                         {"{output}", "x/BAND.md:8", false, true},
                         {"/srv/.envrc", "x/BAND.md:9"}}};
  std::string text;
  for (const Diagnostic& note : obeyed_writes(rules)) text += note.text() + "\n";
  CHECK(text.find("x/BAND.md:1: write \"./.envrc\" lets the script choose what programs do outside of the sandbox: "
                  "`.envrc` is executed by direnv") == 0);
  CHECK(text.find("x/BAND.md:2: write \"./**/.vscode/**\" lets") != std::string::npos);
  CHECK(text.find("x/BAND.md:3: ") != std::string::npos);
  CHECK(text.find("x/BAND.md:4: write \"./.git/**\" has no effect: `.git` has settings") != std::string::npos);
  for (const char* other : {"md:5", "md:6", "md:7", "md:8", "md:9"}) CHECK(text.find(other) == std::string::npos);
}

TEST_CASE("a directory of the machine that is opened for writing is noted, with the denies that servers refuse in it") {
  Rules rules;
  rules.write.opened = {{{"./out/**", "x/BAND.md:1"}, {"/srv/out/**", "x/BAND.md:2"}, {"/srv/one", "x/BAND.md:3"}}};
  rules.write.deny = {{"/srv/out/locked", "x/BAND.md:4"}, {"/srv/out/*.key", "x/BAND.md:5"}, {"/opt/*", "x/BAND.md:6"}};
  std::string text;
  for (const Diagnostic& note : unbound_writes(rules)) text += note.text() + "\n";
  CHECK(text.find("x/BAND.md:2: write \"/srv/out/**\" also lets the script create files on the machine") == 0);
  CHECK(text.find("x/BAND.md:5: deny \"/srv/out/*.key\" is refused by servers") != std::string::npos);
  for (const char* other : {"md:1", "md:3", "md:4", "md:6"}) CHECK(text.find(other) == std::string::npos);
}
