#include "schemas/core/json_pointer.h"

#include <doctest/doctest.h>

#include "schemas/core/json.h"

using namespace band;

TEST_CASE("a pointer that is made of keys and indexes is parsed into the same parts") {
  const std::string pointer = join_pointer(join_pointer(join_pointer("", "a/b"), "~1"), std::size_t{3});
  CHECK(pointer == "/a~1b/~01/3");
  CHECK(pointer_tokens(pointer) == std::vector<std::string>{"a/b", "~1", "3"});
  CHECK(pointer_tokens("") == std::vector<std::string>{});
  CHECK(pointer_tokens("/") == std::vector<std::string>{""});
}

TEST_CASE("a malformed pointer is refused") {
  for (const char* pointer : {"a", "/~", "/~2", "/a~", "a/b"}) CHECK_MESSAGE(!pointer_tokens(pointer), pointer);
}

TEST_CASE("a pointer finds a member or an item, or nothing") {
  const Json document = *parse_json(R"({"a/b": [10, {"": 11}], "0": 12})", "test");
  const auto at = [&](const char* pointer) { return value_at(document, pointer_tokens(pointer).value()); };
  CHECK(*at("") == document);
  CHECK(*at("/a~1b/0") == 10);
  CHECK(*at("/a~1b/1/") == 11);
  CHECK(*at("/0") == 12);
  for (const char* nowhere : {"/a", "/a~1b/2", "/a~1b/00", "/a~1b/-", "/a~1b/99999999999999999999", "/0/0"})
    CHECK_MESSAGE(at(nowhere) == nullptr, nowhere);
}

TEST_CASE("a pointer in messages has dots and brackets") {
  CHECK(readable_pointer("") == "");
  CHECK(readable_pointer("/allow/read/0") == "allow.read[0]");
  CHECK(readable_pointer("/x/a~1b~0c") == "x.a/b~c");
  CHECK(readable_pointer("/x/a~...") == "/x/a~...");
}
