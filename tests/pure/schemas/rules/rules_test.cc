#include "schemas/rules/rules.h"
#include "schemas/core/json.h"

#include <doctest/doctest.h>

#include <chrono>

#include "schemas/band/band.h"
#include "schemas/permit/algebra.h"
#include "schemas/permit/limits.h"
#include "schemas/rules/checks.h"

using band::Json;
using band::Rules;

namespace {

Rules sample() {
  Rules rules;
  rules.cli.opened = {{{"git *", "a/BAND.md:3"}}, {{"git push", "b/BAND.md:4"}, {"gh **", "b/BAND.md:5"}}};
  rules.net.deny = {{"*.example.com", "a/BAND.md:7"}};
  rules.read.opened = {{{"./**/*.txt", "a/BAND.md:9"}}};
  rules.write.insist = {{"./out/r.json", "a/BAND.md:11"}};
  rules.limit.maxRuntimeMs = 5000;
  rules.limit.maxCostDollars = 0.25;
  rules.env = {{"TOKEN", true, true, std::nullopt, "what for", "a/BAND.md:13"},
               {"REGION", false, false, "eu", "", "a/BAND.md:14"}};
  return rules;
}

Json pattern_list(std::size_t count, const std::string& pattern) {
  Json list = Json::array();
  for (std::size_t i = 0; i < count; ++i) list.push_back(Json{{"pattern", pattern}, {"origin", ""}});
  return list;
}

}  // namespace

TEST_CASE("rules are unchanged after serialising and parsing") {
  const Json json = rules_to_json(sample());
  auto back = band::rules_from_json(json);
  REQUIRE_MESSAGE(back.ok(), back.error().message());
  CHECK(rules_to_json(back.value()) == json);
  CHECK(back.value().cli.opened[1][1].origin == "b/BAND.md:5");
  CHECK(back.value().env[1].fallback == "eu");
  CHECK(back.value().limit.maxRuntimeMs == 5000);
  CHECK_FALSE(back.value().limit.maxFiles.has_value());
  CHECK(band::rules_from_json(Json::object()).value().read.opens_nothing());
}

TEST_CASE("a request can mark the value of a placeholder with `dot`, and older requests stay valid") {
  Rules rules;
  rules.write.opened = {{{.pattern = "./.cache/x", .origin = "a:1", .dot = true, .from_input = true}, {"./y", "a:2"}}};
  rules.write.insist = {{.pattern = "./.cache/x", .origin = "a:1", .dot = true}};
  const Json json = rules_to_json(rules);
  CHECK(json["write"]["opened"][0][0] == Json({{"pattern", "./.cache/x"}, {"origin", "a:1"}, {"dot", true}}));
  CHECK_FALSE(json["write"]["opened"][0][1].contains("dot"));
  auto back = band::rules_from_json(json);
  REQUIRE_MESSAGE(back.ok(), back.error().message());
  CHECK(back->write.opened[0][0].dot);
  CHECK_FALSE(back->write.opened[0][1].dot);
  CHECK(back->write.insist[0].dot);
}

TEST_CASE("hostile rules are refused, with the problem and its place") {
  struct Row {
    std::string pointer;
    const char* value;
    std::string what;
  };
  const Row rows[] = {
      {"", "[]", "rules"},
      {"/cli", "[]", "rules.cli"},
      {"/nte", "{}", "nte"},
      {"/cli/allow", "[]", "allow"},
      {"/cli/opened", "{}", "rules.cli.opened"},
      {"/cli/opened/0", "{}", "rules.cli.opened[0]"},
      {"/cli/opened/0/0", "\"git\"", "rules.cli.opened[0][0]"},
      {"/cli/opened/0/0/pattern", "5", "rules.cli.opened[0][0]"},
      {"/cli/opened/0/0/pattern", "\"\"", "rules.cli.opened[0][0]"},
      {"/cli/opened/0/0/pattern", "\"a | b\"", "unquoted"},
      {"/cli/opened/0/0/pattern", "\"a b?\"", "unquoted"},
      {"/cli/opened/0/0/pattern", "null", "rules.cli.opened[0][0]"},
      {"/cli/opened/0/0/extra", "1", "extra"},
      {"/net/deny/0/pattern", "\"https://x\"", "is a URL"},
      {"/read/opened/0/0/pattern", "\"./../x\"", "`..`"},
      {"/write/insist/0/pattern", "\"x\"", "neither"},
      {"/read/opened/0/0/dot", "true", "only a rule of `write`"},
      {"/cli/opened/0/0/dot", "true", "only a rule of `write`"},
      {"/write/insist/0/dot", "1", "dot"},
      {"/write/insist/0", "{\"pattern\": \"./**\", \"dot\": true}", "only a placeholder"},
      {"/limit/maxRuntimeMs", "0", "maxRuntimeMs"},
      {"/limit/maxRuntimeMs", "-1", "maxRuntimeMs"},
      {"/limit/maxRuntimeMs", "\"5s\"", "maxRuntimeMs"},
      {"/limit/maxRuntimeMs", "1.5", "maxRuntimeMs"},
      {"/limit/maxRuntimeMs", "9223372036854775807", "maxRuntimeMs"},
      {"/limit/maxMemoryBytes", "18446744073709551615", "maxMemoryBytes"},
      {"/limit/maxCostDollars", "0", "maxCostDollars"},
      {"/limit/maxCostDollars", "-1", "maxCostDollars"},
      {"/limit/maxCostDollars", "1e300", "maxCostDollars"},
      {"/limit/maxThings", "1", "maxThings"},
      {"/limit", "[]", "rules.limit"},
      {"/env", "{}", "rules.env"},
      {"/env/0", "\"X\"", "rules.env[0]"},
      {"/env/0/name", "\"1X\"", "character"},
      {"/env/0/name", "\"PATH\"", "a variable that band sets"},
      {"/env/0/name", "\"BAND_X\"", "a variable that band sets"},
      {"/env/0/name", "\"LD_PRELOAD\"", "or that controls bash or the dynamic linker"},
      {"/env/0/name", "\"BASH_ENV\"", "or that controls bash or the dynamic linker"},
      {"/env/0/name", "\"REGION\"", "twice"},
      {"/env/0/name", "\"\"", "rules.env[0]"},
      {"/env/0/required", "1", "required"},
      {"/env/0/secret", "null", "secret"},
      {"/env/0/default", "5", "default"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.pointer);
    CAPTURE(std::string(row.value));
    Json json = rules_to_json(sample());
    json[Json::json_pointer(row.pointer)] = band::parse_json(row.value, "row").value();
    auto rules = band::rules_from_json(json);
    REQUIRE_FALSE(rules.ok());
    CHECK(rules.error().code == band::Code::BadRequest);
    CHECK_MESSAGE(rules.error().message().find(row.what) != std::string::npos, rules.error().message());
  }
}

TEST_CASE("an amount of dollars is a number in any notation") {
  for (const char* text : {"0.25", "0.250", "25e-2", "2.5E-1"}) {
    CAPTURE(text);
    Json json = rules_to_json(sample());
    json["limit"]["maxCostDollars"] = band::parse_json(text, "amount").value();
    const auto rules = band::rules_from_json(json);
    REQUIRE_MESSAGE(rules.ok(), (rules.ok() ? "" : rules.error().message()));
    CHECK(rules->limit.maxCostDollars == 0.25);
  }
}

TEST_CASE("the size of rules is bounded") {
  Json json = Json::object();
  json["cli"]["deny"] = pattern_list(band::kMaxRules, "x");
  CHECK(band::rules_from_json(json).ok());
  json["net"]["deny"] = pattern_list(1, "x");
  CHECK_FALSE(band::rules_from_json(json).ok());
  json = Json::object();
  for (std::size_t i = 0; i <= band::kMaxLayers; ++i) json["cli"]["opened"].push_back(Json::array());
  CHECK_FALSE(band::rules_from_json(json).ok());
  json = Json::object();
  json["cli"]["deny"] = pattern_list(300, std::string(4000, 'x'));  // more than 1 MiB
  CHECK_FALSE(band::rules_from_json(json).ok());
  json = Json::object();
  json["cli"]["deny"] = pattern_list(1, std::string(4097, 'x'));
  CHECK_FALSE(band::rules_from_json(json).ok());
}

TEST_CASE("checking the insists of hostile rules takes bounded time") {
  Rules rules;
  for (int i = 0; i < 120; ++i) {
    std::string text = "./";
    for (int k = 0; k < 2000; ++k) text += "*a";
    rules.read.insist.push_back({text + std::to_string(i), ""});
    rules.read.deny.push_back({text + "b" + std::to_string(i), ""});
  }
  rules.read.opened = {rules.read.insist};
  const auto start = std::chrono::steady_clock::now();
  const auto found = check_insists(rules);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));  // sanitizers included
  REQUIRE_FALSE(found.empty());
  CHECK(found.back().message.find("too many") != std::string::npos);
}

TEST_CASE("bands and wire messages accept a limit up to the same maximum, and the default is below it") {
  const band::EffectiveLimits standard = band::effective({});
  const Json defaults = {{"maxRuntimeMs", standard.maxRuntimeMs},
                         {"maxInputBytes", standard.maxInputBytes},
                         {"maxOutputBytes", standard.maxOutputBytes},
                         {"maxMemoryBytes", standard.maxMemoryBytes},
                         {"maxProcesses", standard.maxProcesses},
                         {"maxDiskBytes", standard.maxDiskBytes},
                         {"maxFiles", standard.maxFiles},
                         {"maxOpenFiles", standard.maxOpenFiles}};
  for (const band::LimitKey& key : band::kLimitKeys) {
    CAPTURE(key.name);
    CHECK(defaults.at(key.name).get<std::int64_t>() <= key.most);
    for (const std::int64_t more : {0, 1}) {
      Json rules = band::rules_to_json({});
      rules["limit"][key.name] = key.most + more;
      CHECK(band::rules_from_json(rules).ok() == (more == 0));
      std::vector<band::Diagnostic> errors;
      const std::string text =
          "---\nband: x\nlimit: {" + std::string(key.name) + ": " + std::to_string(key.most + more) + "}\n---\n";
      band::parse_band(text, "BAND.md", errors);
      CHECK(errors.empty() == (more == 0));
    }
  }
}

TEST_CASE("the smaller limit applies, and the defaults are the documented ones") {
  band::Limits a, b;
  a.maxFiles = 5;
  b.maxFiles = 3;
  a.maxOpenFiles = 7;
  b.maxCostDollars = 0.5;
  const band::Limits both = smaller(a, b);
  CHECK(both.maxFiles == 3);
  CHECK(both.maxOpenFiles == 7);
  CHECK(both.maxCostDollars == 0.5);
  CHECK_FALSE(both.maxRuntimeMs.has_value());
  const band::EffectiveLimits all = effective(both);
  CHECK(all.maxRuntimeMs == 60'000);
  CHECK(all.maxInputBytes == 1 << 20);
  CHECK(all.maxOutputBytes == 10 << 20);
  CHECK(all.maxMemoryBytes == 512 << 20);
  CHECK(all.maxProcesses == 256);
  CHECK(all.maxDiskBytes == 64 << 20);
  CHECK(all.maxFiles == 3);
  CHECK(all.maxOpenFiles == 7);
}

TEST_CASE("empty means denied") {
  band::Domain domain;
  CHECK(domain.opens_nothing());
  domain.opened = {{{"./a", ""}}};
  CHECK_FALSE(domain.opens_nothing());
  domain.opened.emplace_back();
  CHECK(domain.opens_nothing());
}
