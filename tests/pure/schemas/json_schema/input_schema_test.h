// Helpers for the tests of a skill's schemas.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "schemas/core/json.h"
#include "schemas/json_schema/input_schema.h"

namespace band::test {

inline Json json(std::string_view text) {
  auto value = parse_json(text, "test");
  REQUIRE_MESSAGE(value.ok(), text << ": " << value.error().message());
  return *value;
}

inline InputSchema schema(std::string_view text) {
  auto made = InputSchema::from_json(json(text), "test.json");
  REQUIRE_MESSAGE(made.ok(), made.error().message());
  return *made;
}

// Returns the violations as one text: "/a type expected ...; ..."
inline std::string problem_text(const InputSchema& by, const Json& value) {
  std::string text;
  for (const Violation& v : by.validate(value))
    text += (text.empty() ? "" : "; ") + v.pointer + " " + v.rule + " " + v.message;
  return text;
}

inline std::string problem_text(std::string_view by, std::string_view value) {
  return problem_text(schema(by), json(value));
}

inline bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace band::test
