#include "server/http_link/question.h"

#include <doctest/doctest.h>

using namespace band::http;
using Kind = Question::Kind;

TEST_CASE("each message of link.h is decoded") {
  const auto exec = read_question(R"({"op":"exec","token":"laptop","token_id":"0123abcd","events":true})");
  REQUIRE(exec.ok());
  CHECK(exec->kind == Kind::Exec);
  CHECK(exec->token == "laptop");
  CHECK(exec->token_id == "0123abcd");
  CHECK(exec->events);
  CHECK(!read_question(R"({"op":"exec","token":"laptop","token_id":"0123abcd","events":false})")->events);
  const auto cancel =
      read_question(R"({"op":"cancel","token":"laptop","token_id":"0123abcd","id":"0123456789abcdef"})");
  REQUIRE(cancel.ok());
  CHECK(cancel->id == "0123456789abcdef");
  CHECK(read_question(R"({"op":"listening","port":7433})")->port == 7433);
  CHECK(read_question(R"({"op":"configured","number":3})")->number == 3);
  const auto health = read_question(R"({"op":"health","token":"laptop","token_id":"0123abcd"})");
  REQUIRE(health.ok());
  CHECK(health->kind == Kind::Health);
  CHECK(health->token == "laptop");
  CHECK(read_question(R"({"op":"metrics"})")->kind == Kind::Metrics);
}

TEST_CASE("anything else is refused, with members of any type") {
  for (const char* text :
       {"",
        "null",
        "[]",
        "{}",
        R"({"op":1})",
        R"({"op":["exec"]})",
        R"({"op":"other"})",
        R"({"op":"exec"})",
        R"({"op":"exec","token":1,"token_id":"0123abcd","events":true})",
        R"({"op":"exec","token":"laptop","token_id":null,"events":true})",
        R"({"op":"exec","token":"laptop","token_id":"0123abcd"})",
        R"({"op":"exec","token":"laptop","token_id":"0123abcd","events":1})",
        R"({"op":"cancel","token":"laptop","token_id":"0123abcd"})",
        R"({"op":"listening"})",
        R"({"op":"listening","port":0})",
        R"({"op":"listening","port":65536})",
        R"({"op":"listening","port":"7433"})",
        R"({"op":"configured"})",
        R"({"op":"health","token":"laptop"})",
        R"({"op":"health"})",
        R"({"op":"metrics","token":"laptop","token_id":"0123abcd"})",
        R"({"op":"exec","token":"laptop","token_id":"0123abcd","events":true,"id":"0123456789abcdef"})",
        R"({"op":"configured","number":-1})",
        R"({"op":"configured","number":1.5})",
        R"({"op":"health"} {})"})
    CHECK_MESSAGE(!read_question(text).ok(), text);
}
