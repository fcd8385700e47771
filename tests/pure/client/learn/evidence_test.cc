#include "client/learn/evidence.h"

#include <doctest/doctest.h>

#include "client/learn/log_reading.h"
#include "schemas/core/json.h"

using namespace band;
using namespace band::client::learn;

TEST_CASE("values of the input are its scalars, with the property that names a file") {
  std::vector<std::string> told;
  for (const InputValue& value : values_of(Json{
           {"path", "a"}, {"n", 3}, {"on", true}, {"list", {"b", "c"}}, {"deep", {{"path", "d"}}}, {"no", nullptr}}))
    told.push_back(value.property + "=" + value.text + (value.is_text ? "" : " (number)"));
  CHECK(told == std::vector<std::string>{"path=a", "n=3 (number)", "list=b", "list=c", "=d"});
  Json many = Json::array();
  for (int i = 0; i < 5'000; ++i) many.push_back(i);
  CHECK(values_of(Json{{"many", many}}).size() == kMostValues);
}

TEST_CASE("a log's words are files, programs, variables and repositories that were missed") {
  std::vector<std::string> missed;
  for (const LogWord& word : missing_words("cat: data/x.csv: No such file or directory\nfine: y.csv\n"
                                           "FileNotFoundError: [Errno 2] No such file or directory: './z'\n"))
    if (word.text.find_first_of("./") != std::string::npos) missed.push_back(in_workspace(word.text, "/home/me"));
  CHECK(missed == std::vector<std::string>{"data/x.csv", "z"});
  CHECK(in_workspace("/home/me/a/b", "/home/me") == "a/b");
  CHECK(in_workspace("/work/a", "/home/me") == "a");
  CHECK(unset_variables("run.sh: line 3: TOKEN: unbound variable\nx\nrun.sh: line 3: TOKEN: unbound variable\n") ==
        std::vector<std::string>{"TOKEN"});
  CHECK(misses_repository("fatal: not a git repository (or any parent)"));
  CHECK(program_of({"gh", true}) == "gh");
  CHECK(program_of({"/usr/bin/gh", false}) == "gh");
  CHECK(program_of({"cat", true}).empty());
  CHECK(program_of({"notes.md", false}).empty());
}

TEST_CASE("a run that changed something outside, or may have, is known by it") {
  using Told = std::vector<std::string>;
  const auto changes = [](const Answer& answer, const std::string& write) {
    Rules rules;
    rules.write.opened.push_back({{write, "t/BAND.md:3"}});
    return changes_outside(evidence_of(answer), rules);
  };
  Answer sent;
  sent.exit_status = 0;
  sent.ledger.push_back(
      {"net", "", Json{{"outcome", "relayed"}, {"host", "api.example"}, {"port", 443u}, {"upBytes", 7u}}});
  CHECK(changes(sent, "./x") == Told{"sent 7 bytes to api.example:443"});
  Answer cut;
  cut.exit_status = 0;
  cut.ledger.push_back({"left-out", "", Json{{"net", 3u}}});
  CHECK(changes(cut, "./x") == Told{"may have sent more: not every connection fits into the ledger"});
  const Told wrote = {"may have written to /srv/x/** (t/BAND.md:3), which the ledger does not show"};
  Answer ended;
  ended.exit_status = 1;
  CHECK(changes(ended, "/srv/x/**") == wrote);
  CHECK(changes(ended, "./x").empty());
  Answer cancelled;
  cancelled.error = Error{.code = Code::Cancelled};
  CHECK(changes(cancelled, "/srv/x/**") == wrote);
  Answer refused;  // before it began
  refused.error = Error{.code = Code::SandboxUnavailable};
  CHECK(changes(refused, "/srv/x/**").empty());
}

TEST_CASE("a long stderr does not hide what stdout has") {
  Answer answer;
  answer.stdout_log = "cat: data.csv: No such file or directory\n";
  answer.stderr_log = std::string(200'000, 'x');
  CHECK(missing_words(evidence_of(answer).log).size() >= 2);
}
