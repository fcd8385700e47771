// The ledger of an execution, and the evaluation of its insists (server/ledger).
#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

#include "schemas/core/json.h"
#include "schemas/core/utf8.h"
#include "server/ledger/insist.h"
#include "server/ledger/ledger.h"

using namespace band;
using namespace band::ledger;
using Args = std::vector<std::string>;

namespace {

RuleSet rules(const Args& patterns, const std::string& file) {
  RuleSet set;
  for (const std::string& pattern : patterns) set.push_back({pattern, file + ":" + std::to_string(set.size() + 1)});
  return set;
}

Insists insisting_on_hosts(const Args& net) {
  Rules all;
  all.net.insist = rules(net, "n");
  auto insists = Insists::compile(all);
  REQUIRE(insists.ok());
  return std::move(insists).value();
}

Insists insisting(const Args& cli, const Args& read = {}, const Args& write = {}) {
  Rules all;
  all.cli.insist = rules(cli, "c");
  all.read.insist = rules(read, "r");
  all.write.insist = rules(write, "w");
  auto insists = Insists::compile(all);
  REQUIRE(insists.ok());
  return std::move(insists).value();
}

std::string judged(const Insists& insists) {
  const Status status = insists.judge();
  if (status.ok()) return "ok";
  CHECK(status.error().code == Code::InsistNotSatisfied);
  CHECK(parse_json(status.error().details, "details").ok());
  return status.error().message();
}

}  // namespace

// ---- the ledger -----------------------------------------------------------------------------------------------------

TEST_CASE("an entry of a command has its line, the rule and the end, as text and as JSON") {
  Ledger ledger;
  Command command;
  command.argv = {"gh", "issue list", "\xff\n"};
  command.text = "gh 'issue list'  (allow.cli \"gh *\", x:4)";
  command.start_ms = 12.3456789;
  command.duration_ms = 3;
  command.status = 1;
  command.section = "allow.cli";
  command.rule = Rule{"gh *", "x:4"};
  ledger.add(command);
  command.status.reset();
  command.signal = 9;
  command.rule.reset();
  ledger.add(command);
  command.signal.reset();
  ledger.add(command);
  command.denied = true;
  ledger.add(command);
  ledger.add(NotFound{{"curl", "x"}, 5, "not found: curl x  (...)"});
  ledger.add(FileRead{"a\x1b/b"});
  ledger.add(FileWritten{"out/x", 7});
  ledger.add(LedgerEntry{"net", "refused", Json{{"refusedPackets", 3}}});
  const auto entries = ledger.release();
  REQUIRE(entries.size() == 8);
  CHECK(entries[0].kind == "command");
  CHECK(entries[0].text == command.text + ": exited 1");
  CHECK(*entries[0].details == Json({{"argv", {"gh", "issue list", "\uFFFD\\n"}},
                                     {"startMs", 12.345},
                                     {"denied", false},
                                     {"rule", {{"section", "allow.cli"}, {"pattern", "gh *"}, {"origin", "x:4"}}},
                                     {"durationMs", 3.0},
                                     {"status", 1},
                                     {"signal", nullptr}}));
  CHECK(entries[1].text == command.text + ": was killed by signal 9");
  CHECK(entries[2].text == command.text + ": was killed at the end of the execution");
  CHECK(entries[3].text == command.text);
  CHECK((*entries[3].details)["denied"] == true);
  CHECK_FALSE(entries[3].details->contains("status"));
  CHECK(entries[4].kind == "not-found");
  CHECK(entries[5].text == "read a\\u001b/b");
  CHECK(*entries[6].details == Json({{"path", "out/x"}, {"bytes", 7}}));
  CHECK(*entries[7].details == Json{{"refusedPackets", 3}});
  CHECK(ledger.first_denied().front().text == command.text);
  CHECK(ledger.release().empty());
  Answer answer;
  answer.id = "0123456789abcdef";
  answer.exit_status = 0;
  answer.ledger = entries;
  CHECK(answer_from_json(answer_to_json(answer)).ok());  // the client accepts the whole answer
}

TEST_CASE("an entry of a connection has its properties, and the first refusal is kept") {
  Ledger ledger;
  ConnectionEntry relayed;
  relayed.outcome = ConnectionEntry::Outcome::Relayed;
  relayed.text = "api.example:443";
  relayed.host = "api.example";
  relayed.port = 443;
  relayed.address = "192.0.2.1";
  relayed.up = 10;
  relayed.down = 20;
  relayed.start_ms = 1.5;
  relayed.duration_ms = 2.5;
  relayed.section = "allow.net";
  relayed.rule = Rule{"*.example", "x:4"};
  ledger.add(relayed);
  ConnectionEntry failed = relayed;
  failed.outcome = ConnectionEntry::Outcome::Failed;
  failed.text = "api.example:443 failed (connection refused)";
  ledger.add(failed);
  CHECK(ledger.first_denied().empty());
  ConnectionEntry refused;
  refused.text = "evil\x1b.example refused (not in allow.net)";
  refused.host = "evil\x1b.example";
  refused.count = 3;
  refused.missing_rule = true;
  ledger.add(refused);
  const auto entries = ledger.release();
  REQUIRE(entries.size() == 3);
  for (const LedgerEntry& entry : entries) CHECK(entry.kind == "net");
  CHECK(entries[0].text == "api.example:443: 10 bytes up, 20 down");
  CHECK(*entries[0].details == Json({{"outcome", "relayed"},
                                     {"host", "api.example"},
                                     {"port", 443},
                                     {"address", "192.0.2.1"},
                                     {"startMs", 1.5},
                                     {"rule", {{"section", "allow.net"}, {"pattern", "*.example"}, {"origin", "x:4"}}},
                                     {"durationMs", 2.5},
                                     {"upBytes", 10},
                                     {"downBytes", 20}}));
  CHECK(entries[1].text == failed.text);
  CHECK((*entries[1].details)["outcome"] == "failed");
  CHECK(entries[2].text == "evil\\u001b.example refused (not in allow.net), 3 times");
  CHECK(*entries[2].details ==
        Json({{"outcome", "refused"}, {"host", "evil\\u001b.example"}, {"startMs", 0.0}, {"count", 3}}));
  CHECK(ledger.first_denied().front().text == "evil\\u001b.example refused (not in allow.net)");
  CHECK(ledger.first_denied().front().hint == "allow the host in the band");
}

TEST_CASE(
    "repeated refusals and failures are one entry with their number; each successful connection is one "
    "entry") {
  Ledger ledger;
  ConnectionEntry refused, failed, relayed;
  refused.text = "a.example refused (not in allow.net)";
  failed.outcome = ConnectionEntry::Outcome::Failed;
  failed.text = "b.example:80 failed: Connection refused";
  relayed.outcome = ConnectionEntry::Outcome::Relayed;
  relayed.text = "c.example:80";
  for (const ConnectionEntry* one : {&refused, &failed, &relayed}) CHECK(ledger.add(*one));
  CHECK_FALSE(ledger.add(refused));  // as the gateway reports it: once, and at the end the number of repetitions
  failed.count = 7;
  failed.up = 5;
  CHECK_FALSE(ledger.add(failed));
  CHECK(ledger.add(relayed));
  const auto entries = ledger.release();
  REQUIRE(entries.size() == 4);
  CHECK(entries[0].text == "a.example refused (not in allow.net), 2 times");
  CHECK((*entries[0].details)["count"] == 2);
  CHECK(entries[1].text == "b.example:80 failed: Connection refused, 8 times");
  CHECK((*entries[1].details)["count"] == 8);
  CHECK((*entries[1].details)["upBytes"] == 5);
  CHECK(entries[2].text == entries[3].text);
  CHECK(ledger.first_failed() == "b.example:80 failed: Connection refused");
  CHECK(ledger.first_denied().front().text == "a.example refused (not in allow.net)");
}

TEST_CASE("the hint is to allow the command only if no deny rule matches it") {
  const auto hint = [](const std::string& section) {
    Ledger ledger;
    Command command;
    command.denied = true;
    command.section = section;
    ledger.add(command);
    return ledger.first_denied().front().hint;
  };
  CHECK(hint("") == "allow the command in the band");
  CHECK(hint("deny.cli") == "remove the deny rule from the band");
}

TEST_CASE("the hint is to allow the host only if a rule is missing, regardless of the text") {
  const auto hint = [](const std::string& text, bool missing_rule) {
    Ledger ledger;
    ConnectionEntry refused;
    refused.text = text;
    refused.missing_rule = missing_rule;
    ledger.add(refused);
    return ledger.first_denied().front().hint;
  };
  CHECK(hint("a.example refused (not in allow.net)", true) == "allow the host in the band");
  CHECK(hint("SNI x refused (not in allow.net)", false) == "");
}

TEST_CASE("the ledger is bounded in number and bytes, and counts what did not fit") {
  Ledger few(3);
  for (int i = 0; i < 5; ++i) few.add(FileRead{"a"});
  few.add(FileWritten{"b", 1});
  Command denied;
  denied.argv = {"rm"};
  denied.denied = true;
  denied.text = "denied: rm";
  few.add(denied);
  const auto entries = few.release();
  REQUIRE(entries.size() == 4);
  CHECK(entries[3].kind == "left-out");
  CHECK(entries[3].text == "left out of this list: 1 command, 2 read, 1 write");
  CHECK(*entries[3].details == Json({{"command", 1}, {"read", 2}, {"write", 1}}));
  CHECK(few.first_denied().front().text == "denied: rm");  // recorded although its entry did not fit

  Ledger small(10'000, 100'000);
  Command large;
  large.argv = Args(100'000, std::string(100, '\x01'));
  for (int i = 0; i < 1000; ++i) {
    large.text = std::string(300, 'x');
    small.add(large);
  }
  std::size_t bytes = 0;
  for (const LedgerEntry& entry : small.release()) {
    bytes += entry.text.size() + dump_json(entry.details).size();
    if (entry.kind == "command") CHECK((*entry.details)["argumentsLeftOut"] == 100'000 - 10);
  }
  CHECK(bytes < 101'000);
  CHECK(bytes > 90'000);

  Ledger names;
  names.add(FileRead{std::string(100'000, 'x')});
  CHECK(names.release()[0].text.size() < 600);
}

TEST_CASE("thousands of connections do not displace entries of other kinds") {
  Ledger ledger(4);
  ConnectionEntry connection;
  connection.outcome = ConnectionEntry::Outcome::Relayed;
  connection.text = "api.example.com:443";
  for (int i = 0; i < 100; ++i) ledger.add(connection);
  Command command;
  command.text = "git push";
  ledger.add(command);
  const auto entries = ledger.release();
  REQUIRE(entries.size() == 4);
  CHECK(entries[2].kind == "command");
  CHECK(entries[3].text == "left out of this list: 98 net");
}

// ---- insist ---------------------------------------------------------------------------------------------------------

TEST_CASE("an insist on a command is met by a matching command line that exited with 0") {
  Insists insists = insisting({"gh issue create *", "/opt/x/tool a"});
  CHECK(judged(insists) ==
        "insist.cli \"gh issue create *\" (c:1) did not happen; no similar event was recorded\n"
        "insist.cli \"/opt/x/tool a\" (c:2) did not happen; no similar event was recorded");
  insists.command_succeeded({"git", "issue", "create"}, "git issue create");
  insists.command_succeeded({"gh", "repo", "list"}, "gh repo list");
  CHECK(judged(insists).find("create *\" (c:1) did not happen; nearest: gh repo list\n") != std::string::npos);
  insists.command_succeeded({"gh", "issue", "list"}, "gh issue list");
  insists.command_succeeded({"gh", "pr", "list"}, "gh pr list");
  CHECK(judged(insists).find("nearest: gh issue list\n") != std::string::npos);
  insists.command_failed({"gh", "issue", "create", "x"}, "gh issue create x: exited 1");
  insists.command_succeeded({"gh", "issue", "create x"}, "gh issue 'create x'");
  CHECK(judged(insists).find("nearest: gh issue create x: exited 1\n") != std::string::npos);
  insists.command_succeeded({"gh", "issue", "create", "x"}, "gh issue create x");
  CHECK(judged(insists) == "insist.cli \"/opt/x/tool a\" (c:2) did not happen; no similar event was recorded");
  insists.command_succeeded({"/opt/x/tool", "a"}, "argv[0] is the name of the shim and not a path");
  insists.command_succeeded({}, "");
  CHECK(judged(insists) != "ok");
  insists.command_succeeded({"tool", "a"}, "tool a");
  CHECK(judged(insists) == "ok");
  insists.command_failed({"tool", "a"}, "tool a: exited 1");  // a later failure does not undo it
  CHECK(judged(insists) == "ok");
}

TEST_CASE("an insist on a file is met by a read, or write, under a matching name") {
  Insists insists = insisting({}, {"./data/*.csv", "/opt/x/**"}, {"./out/report.md"});
  CHECK(insists.waits_for_reads());
  insists.file_read("data/a/b.csv", false);
  insists.file_read("data/b.txt", false);
  insists.file_read("data/a.csv", true);  // on the machine, not in the workspace
  insists.file_written("data/a.csv", false);
  insists.file_written("out/report.txt", false);
  insists.file_written("x/report.md", false);
  insists.file_read("out/report.md", false);
  CHECK(judged(insists) ==
        "insist.read \"./data/*.csv\" (r:1) did not happen; nearest: ./data/a/b.csv\n"
        "insist.read \"/opt/x/**\" (r:2) did not happen; nearest: /data/a.csv\n"
        "insist.write \"./out/report.md\" (w:1) did not happen; nearest: ./x/report.md");
  insists.file_read("data/a.csv", false);
  insists.file_read("opt/x/y/z", true);
  CHECK_FALSE(insists.waits_for_reads());
  insists.file_written("out/report.md", false);
  CHECK(judged(insists) == "ok");
  CHECK(judged(insisting({})) == "ok");
}

TEST_CASE("evidence does not depend on the number of other events, or on the entries that the ledger keeps") {
  Insists insists = insisting({"gh done"}, {"./last"}, {"./out"});
  Ledger ledger(1);
  for (int i = 0; i < 200'000; ++i) {
    insists.file_read("some/file" + std::to_string(i), false);
    insists.command_succeeded({"gh", "x"}, "gh x");
    ledger.add(FileRead{"x"});
  }
  insists.file_read("last", false);
  insists.file_written("out", false);
  insists.command_succeeded({"gh", "done"}, "gh done");
  CHECK(judged(insists) == "ok");
}

TEST_CASE("hostile names and lines are escaped, and compared in bounded time") {
  Args patterns;
  for (int i = 0; i < 1000; ++i) patterns.push_back("gh ** *a" + std::to_string(i) + "b*");
  Insists insists = insisting(patterns, {}, {"./out"});
  const auto began = std::chrono::steady_clock::now();
  insists.command_failed({"gh", std::string(2 << 20, 'a')}, "denied: gh a...");
  insists.command_failed(Args(1'000'000, "gh"), "denied: gh gh...");
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(2));
  insists.file_written("\x1b[2J" + std::string(4000, '\xff'), false);
  const std::string text = judged(insists);
  CHECK(text.size() < 20'000);
  CHECK(is_valid_utf8(text));
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.ends_with("and 981 more"));
  CHECK(parse_json(insists.judge().error().details, "details")->size() == 1001);
}

TEST_CASE("a matching file that does not count is the nearest, with the reason") {
  Insists insists = insisting({}, {"./data/a"}, {"/srv/out"});
  insists.file_not_read("data/a", false, "was changed before it was read");
  insists.file_read("data/ab", false);
  insists.file_not_written("srv/out", true, "is what it was");
  insists.file_not_written("srv/other", true, "is what it was");
  CHECK(insists.waits_for_reads());
  const std::string said = judged(insists);
  CHECK(said.find("nearest: ./data/a, which was changed before it was read\n") != std::string::npos);
  CHECK(said.find("nearest: /srv/out, which is what it was") != std::string::npos);
  insists.file_read("data/a", false);
  insists.file_written("srv/out", true);
  CHECK(judged(insists) == "ok");
}

TEST_CASE("an unchanged shipped file is named only for an insist that matches it") {
  Insists insists = insisting({}, {}, {"./out/done.md", "./log"});
  insists.file_unchanged("out/done.md");
  insists.file_unchanged("logs");
  const std::string said = judged(insists);
  CHECK(said.find("nearest: ./out/done.md, which still has the content that the client sent") != std::string::npos);
  CHECK(said.ends_with("did not happen; no similar event was recorded"));
}

// ---- hosts ----------------------------------------------------------------------------------------------------------

TEST_CASE("an insist on a host is met by a connection to it, at its port, that carried data both ways") {
  Insists insists = insisting_on_hosts({"*.example.com", "db.example:5432", "localhost:6379"});
  insists.host_reached("example.com", 443, "example.com:443");  // the apex is not below itself
  insists.host_reached("db.example", 443, "db.example:443");    // another port
  insists.host_not_reached("a.example.com", 443, "a.example.com:443 failed (timed out)");
  CHECK(judged(insists) ==
        "insist.net \"*.example.com\" (n:1) did not happen; nearest: a.example.com:443 failed (timed out)\n"
        "insist.net \"db.example:5432\" (n:2) did not happen; nearest: db.example:443\n"
        "insist.net \"localhost:6379\" (n:3) did not happen; nearest: example.com:443");
  insists.host_reached("a.example.com", 80, "a.example.com:80");
  insists.host_reached("db.example", 5432, "db.example:5432");
  insists.host_reached("127.0.0.1", 6379, "127.0.0.1:6379");
  CHECK(judged(insists) == "ok");
}

TEST_CASE("a lookup does not meet an insist, and neither does a connection to another host") {
  Insists insists = insisting_on_hosts({"10.0.0.0/8:8080"});
  insists.host_not_reached("api.example", 0, "api.example refused (not in allow.net)");
  CHECK(judged(insists).find("nearest: api.example refused") != std::string::npos);
  insists.host_reached("11.0.0.1", 8080, "11.0.0.1:8080");
  CHECK(judged(insists).find("did not happen") != std::string::npos);
  insists.host_reached("10.0.0.1", 8080, "10.0.0.1:8080");
  CHECK(judged(insists) == "ok");
  CHECK(judged(insisting_on_hosts({"a.example"})) ==
        "insist.net \"a.example\" (n:1) did not happen; no similar event was recorded");
}
