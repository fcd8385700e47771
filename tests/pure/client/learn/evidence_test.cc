#include "client/learn/evidence.h"

#include <doctest/doctest.h>

#include "schemas/core/json.h"

using namespace band;
using namespace band::client::learn;

TEST_CASE("values of the input are its scalars, with the property that names a file") {
  std::vector<std::string> texts;
  for (const InputValue& value : values_of(Json{
           {"path", "a"}, {"n", 3}, {"on", true}, {"list", {"b", "c"}}, {"deep", {{"path", "d"}}}, {"no", nullptr}}))
    texts.push_back(value.property + "=" + value.text + (value.is_text ? "" : " (number)"));
  CHECK(texts == std::vector<std::string>{"path=a", "n=3 (number)", "list=b", "list=c", "=d"});
  Json many = Json::array();
  for (int i = 0; i < 5'000; ++i) many.push_back(i);
  CHECK(values_of(Json{{"many", many}}).size() == kMostValues);
}

TEST_CASE("a run that changed something outside, or may have, is detected") {
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
  CHECK(changes(cut, "./x") == Told{"may have sent more: the ledger does not have every connection"});
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

TEST_CASE("a run that failed only by an insist of learn is detected") {
  const auto unseen = [](const Json& missing, Code code = Code::InsistNotSatisfied) {
    Answer answer;
    answer.error = Error{.code = code, .details = missing.dump()};
    return evidence_of(answer).unseen;
  };
  const Json mine = {{"section", "insist.read"}, {"pattern", "./x"}, {"origin", "band learn"}, {"nearest", "./y"}};
  const Json none = {{"section", "insist.read"}, {"pattern", "./z"}, {"origin", "band learn"}, {"nearest", nullptr}};
  const Json bands = {{"section", "insist.cli"}, {"pattern", "git"}, {"origin", "t/BAND.md:4"}, {"nearest", nullptr}};
  CHECK(unseen(Json::array({mine, none})) == std::vector<std::string>{"read \"./x\"; nearest: ./y", "read \"./z\""});
  CHECK(unseen(Json::array({mine, bands})).empty());
  CHECK(unseen(Json::array({mine}), Code::ScriptFailed).empty());
  for (const Json& odd : {Json(nullptr), Json(3), Json::array(), Json::array({5}), Json{{"origin", "band learn"}}})
    CHECK(unseen(odd).empty());
}
