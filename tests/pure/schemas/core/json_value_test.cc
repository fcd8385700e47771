#include "schemas/core/json_value.h"

#include <doctest/doctest.h>

#include <type_traits>
#include <utility>

#include "schemas/core/json.h"

using namespace band;

TEST_CASE("a member is null initially, or an empty object if requested") {
  CHECK(std::as_const(*JsonValue()).is_null());
  CHECK(*JsonValue::object() == Json::object());
  const JsonValue null;
  CHECK(null->is_null());
}

TEST_CASE("a copy is independent, self-assignment works, and a moved-from value is null") {
  JsonValue first = Json{{"a", 1}};
  JsonValue second = first;
  (*second)["a"] = 2;
  CHECK(*first == Json{{"a", 1}});
  const JsonValue& same = first;
  first = same;
  CHECK(*first == Json{{"a", 1}});
  JsonValue moved = std::move(second);
  CHECK(*moved == Json{{"a", 2}});
  CHECK(std::as_const(second)->is_null());  // NOLINT(bugprone-use-after-move): the test is about this state
  (*second)["b"] = 3;
  CHECK(*second == Json{{"b", 3}});
}

TEST_CASE("it can be constructed from a Json only, without a conversion") {
  CHECK(std::is_convertible_v<Json, JsonValue>);
  CHECK_FALSE(std::is_convertible_v<int, JsonValue>);
  CHECK_FALSE(std::is_constructible_v<JsonValue, std::pair<const char*, int>>);
}
