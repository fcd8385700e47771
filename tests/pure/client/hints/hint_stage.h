// A run with its rules, its workspace, its log and its ledger, for tests of hints.
#pragma once

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "client/hints/hints.h"
#include "client/logs/reading.h"
#include "schemas/core/json.h"
#include "tests/pure/client/client_test.h"

namespace band::test {

using namespace band::client;

using Words = std::vector<std::string>;

// A failed run: its rules, its workspace, its log and its ledger.
class Stage {
 public:
  Stage() {
    script.band.band.file = "test/BAND.md";
    script.band.rules.cli = domain({"git log *"});
    script.source = "gh pr list; git push; curl https://a.example b.example:5432";
  }

  void ledger(const char* kind, const char* details, const std::string& text = "") {
    answer.ledger.push_back({kind, text, parse_json(details, "test").value()});
  }
  // Returns the hints, joined by newlines.
  std::string hints(const std::string& log = "", Code code = Code::ScriptFailed) {
    answer.error = Error{.code = code, .doing = "the script exited with 1"};
    answer.stderr_log = log;
    return from([](Advice& advice) { return advice.hints(); });
  }
  // The notes about a run, joined by newlines.
  std::string unnoticed() {
    return from([](Advice& advice) { return advice.unnoticed(); });
  }
  std::string lost(const std::vector<std::string>& paths) {
    return from([&](Advice& advice) { return advice.lost(paths); });
  }
  // Returns the texts, joined by newlines.
  template <class Get>
  std::string from(const Get& get) {
    auto tree = Tree::open(dir.path());
    REQUIRE(tree.ok());
    const Failure failure{.reader = reader,
                          .script = script,
                          .input = input,
                          .given = input,
                          .command = command,
                          .workspace = &*tree,
                          .sent = sent,
                          .written = written,
                          .left_out = left_out,
                          .home = home,
                          .has_variable = [this](const std::string& name) { return variables.contains(name); },
                          .answer = answer,
                          .log = log_of(answer)};
    Advice advice(failure);
    std::string text;
    for (const std::string& one : get(advice)) text += (text.empty() ? "" : "\n") + one;
    return text;
  }

  TempDir dir;
  std::string home;
  Reader reader = Reader::Author;
  Script script;
  JsonValue input = JsonValue::object();
  std::vector<std::string> command;
  std::set<std::string> sent, written, variables;
  std::vector<LeftOut> left_out;
  Answer answer;
};

inline JsonValue json(const char* text) { return JsonValue(parse_json(text, "test").value()); }

inline const std::string kGhLine =
    "the band does not allow the command gh; write in test/BAND.md:  allow: {cli: [\"gh *\"]} (or, with fewer "
    "arguments allowed, the arguments in place of `*`)";

}  // namespace band::test
