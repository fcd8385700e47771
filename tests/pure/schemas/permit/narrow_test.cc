#include "schemas/permit/narrow.h"

#include <doctest/doctest.h>

#include "schemas/core/json.h"

using namespace band;

namespace {

std::string narrowed(const char* band, const char* more) {
  const auto value = narrow(Json::parse(band), Json::parse(more), "x");
  return value.ok() ? dump_json(*value) : "error: " + value.error().message();
}

}  // namespace

TEST_CASE("a member that only one configuration has is copied") {
  CHECK(narrowed("{}", R"({"dm":true})") == R"({"dm":true})");
  CHECK(narrowed(R"({"dm":true})", "{}") == R"({"dm":true})");
  CHECK(narrowed(R"({"dm":null,"a":1})", R"({"dm":true,"a":null})") == R"({"dm":true,"a":1})");
}

TEST_CASE("everything that one of them closes stays closed") {
  CHECK(narrowed(R"({"dm":false})", R"({"dm":true})") == R"({"dm":false})");
  CHECK(narrowed(R"({"dm":true})", R"({"dm":false})") == R"({"dm":false})");
  CHECK(narrowed(R"({"most":5})", R"({"most":10})") == R"({"most":5})");
  CHECK(narrowed(R"({"most":5})", R"({"most":2.5})") == R"({"most":2.5})");
}

TEST_CASE("lists have the common items, lists named deny the items of either") {
  CHECK(narrowed(R"({"allow":["a","b","c"]})", R"({"allow":["c","a","z"]})") == R"({"allow":["a","c"]})");
  CHECK(narrowed(R"({"allow":["a"]})", R"({"allow":[]})") == R"({"allow":[]})");
  CHECK(narrowed(R"({"allow":["*"]})", R"({"allow":["a"]})") == R"({"allow":["a"]})");
  CHECK(narrowed(R"({"allow":["a"]})", R"({"allow":["*","b"]})") == R"({"allow":["a"]})");
  CHECK(narrowed(R"({"c":{"deny":["a"]}})", R"({"c":{"deny":["b","a"]}})") == R"({"c":{"deny":["a","b"]}})");
}

TEST_CASE("a deny that is a map closes everything that either closes") {
  CHECK(narrowed(R"({"deny":{"c":["a"],"dm":true}})", R"({"deny":{"c":["b"],"dm":false}})") ==
        R"({"deny":{"c":["a","b"],"dm":true}})");
}

TEST_CASE("any other member must be equal, and the message names it") {
  CHECK(narrowed(R"({"a":"x"})", R"({"a":"x"})") == R"({"a":"x"})");
  for (const char* more : {R"({"c":{"a":"y"}})", R"({"c":{"a":1}})", R"({"c":{"a":[]}})", R"({"c":{"a":{}}})"}) {
    const std::string text = narrowed(R"({"c":{"a":"x"}})", more);
    CHECK_MESSAGE(text.find("error: `x.c.a` is \"x\" in the band") == 0, text);
  }
  CHECK(narrowed(R"({"a":false})", R"({"a":[]})").starts_with("error"));  // another type opens nothing
}
