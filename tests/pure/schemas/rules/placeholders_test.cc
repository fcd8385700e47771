#include "schemas/rules/placeholders.h"

#include <doctest/doctest.h>

#include "schemas/core/json.h"
#include "schemas/pattern/pattern.h"

using namespace band;

namespace {

Rules reading(const std::vector<std::string>& patterns) {
  Rules rules;
  RuleSet layer;
  for (const std::string& pattern : patterns)
    layer.push_back({pattern, "x/BAND.md:" + std::to_string(layer.size() + 3)});
  rules.read.opened.push_back(std::move(layer));
  return rules;
}

// Returns the patterns that replace `{path}` when the input has `value`; or the error.
std::vector<std::string> named(const Json& value, const std::string& pattern = "{path}") {
  const auto rules = with_input(reading({pattern}), Json{{"path", value}});
  if (!rules.ok()) return {"error: " + rules.error().message()};
  std::vector<std::string> patterns;
  for (const Rule& rule : rules->read.opened.at(0)) patterns.push_back(rule.pattern);
  return patterns;
}

using Patterns = std::vector<std::string>;

}  // namespace

TEST_CASE("a placeholder is a pattern that consists of a name in braces") {
  CHECK(placeholder_of("{path}") == "path");
  CHECK(placeholder_of("{a_b-C9}") == "a_b-C9");
  for (const char* other :
       {"", "{", "}", "{}", "path", "./{path}", "{path}/x", "{a b}", "{a/b}", "{a}{b}", "{{a}}", "{a.b}"})
    CHECK_FALSE(placeholder_of(other));
}

TEST_CASE("a placeholder is replaced by the file that the input names") {
  CHECK(named("notes.md") == Patterns{"./notes.md"});
  CHECK(named("./a/b.md") == Patterns{"./a/b.md"});
  CHECK(named("a//b/./c") == Patterns{"./a/b/c"});
  CHECK(named(Json::array({"a", "b"})) == Patterns{"./a", "./b"});
  CHECK(named(nullptr).empty());
  const auto rules = with_input(reading({"{path}", "./fixed"}), Json::object());
  REQUIRE(rules.ok());
  REQUIRE(rules->read.opened.size() == 1);  // a layer that no longer opens anything stays a layer
  CHECK(rules->read.opened[0].at(0).pattern == "./fixed");
}

TEST_CASE("no character of a name is a wildcard") {
  for (const std::string name :
       {"*", "a*b", "**", "a?", "[a-z]", "a\\b", "\\*", "{path}", "a[", "-x", "~", "$HOME", "a b", "é\n"}) {
    CAPTURE(name);
    const Patterns patterns = named(name);
    REQUIRE(patterns.size() == 1);
    const auto pattern = PathPattern::parse(patterns[0]);
    REQUIRE(pattern.ok());
    CHECK(pattern->is_literal());
    CHECK(pattern->matches(name));
  }
  const auto star = PathPattern::parse(named("a*")[0]);
  CHECK_FALSE(star->matches("ab"));  // the control: a wildcard would match it
  CHECK(PathPattern::parse("./a*")->matches("ab"));
}

TEST_CASE("a value that is not a file below the workspace is refused, with the rule's position") {
  const std::vector<Json> bad = {"/etc/passwd",
                                 "..",
                                 "../x",
                                 "a/../../x",
                                 "a/..",
                                 "",
                                 ".",
                                 "./",
                                 "/",
                                 5,
                                 true,
                                 Json::object(),
                                 Json::array({"a", 5}),
                                 Json::array({"a", "../b"}),
                                 std::string("a\0b", 3),
                                 std::string(5000, 'a')};
  for (const Json& value : bad) {
    const auto rules = with_input(reading({"{path}"}), Json{{"path", value}});
    REQUIRE_FALSE(rules.ok());
    CHECK(rules.error().code == Code::InputInvalid);
    CHECK(rules.error().message().find("x/BAND.md:3") != std::string::npos);
  }
}

TEST_CASE("placeholders of write and of insist rules are replaced, too") {
  Rules rules = reading({"{path}"});
  rules.write.opened.push_back({{"{out}", "x/BAND.md:9"}});
  rules.write.insist.push_back({"{out}", "x/BAND.md:9"});
  CHECK(placeholders(rules).size() == 3);
  const auto replaced = with_input(rules, Json{{"path", "a"}, {"out", "b"}});
  REQUIRE(replaced.ok());
  CHECK(placeholders(*replaced).empty());
  CHECK(replaced->write.opened[0].at(0).pattern == "./b");
  CHECK(replaced->write.insist.at(0).pattern == "./b");
}

TEST_CASE("a value allows writing neither a name that begins with a dot nor a name that programs execute or obey") {
  const auto wrong = [](const std::string& value, bool dot, bool insists = false) {
    Rules rules;
    const Rule rule{.pattern = "{out}", .origin = "x/BAND.md:9", .dot = dot};
    rules.write.opened.push_back({rule});
    if (insists) rules.write = {{{{"./**", ""}}}, {}, {rule}};
    const auto replaced = with_input(rules, Json{{"out", value}});
    if (replaced.ok()) {
      CHECK(replaced->write.opened[0].at(0).from_input == !insists);
      CHECK(replaced->write.opened[0].at(0).dot == (dot && !insists));
      return std::string();
    }
    CHECK(replaced.error().code == Code::InputInvalid);
    return replaced.error().message() + "; " + replaced.error().hint;
  };
  const auto has = [](const std::string& text, const std::string& part) {
    CAPTURE(text);
    return text.find(part) != std::string::npos;
  };
  for (const char* path : {"a.txt", "Makefile", "a..b/c.d"}) CHECK(wrong(path, false).empty());
  for (const char* path : {".cache", ".cache/x", "a/.b", "..."}) {
    CAPTURE(path);
    CHECK(has(wrong(path, false), "{path: \"{out}\", dot: true}"));
    CHECK(has(wrong(path, false, true), "begins with a dot"));
    CHECK(wrong(path, true).empty());
  }
  for (const char* path : {".envrc", "./.ENVRC", "x//.vscode/tasks.json", ".claude/settings.json", ".git/config",
                           "gradle/wrapper/gradle-wrapper.jar", "x/_darcs/y", ".e\xE2\x80\x8Bnvrc", "a\\.envrc"})
    for (const bool dot : {false, true}) {
      CAPTURE(path);
      CHECK(has(wrong(path, dot), "a value cannot allow to write it"));
    }
  CHECK(has(wrong(".envrc", true), "`.envrc`, which is executed by direnv"));
  CHECK(named(".envrc") == Patterns{"./.envrc"});  // reading
}

TEST_CASE("servers refuse placeholders") {
  CHECK_FALSE(rules_from_json(rules_to_json(reading({"{path}"}))).ok());
  CHECK(rules_from_json(rules_to_json(reading({"./path"}))).ok());
}
