#include "client/skill_tests/example.h"

#include "client/skills/schema_view.h"
#include "schemas/core/json_text.h"

namespace band::client {
namespace {

std::string example_value(const Parameter& parameter) {
  const std::string type = parameter.types.empty() ? "string" : parameter.types.front();
  if (type == "integer" || type == "number") return "1";
  if (type == "boolean") return "true";
  if (type == "array") return "[]";
  if (type == "object") return "{}";
  return type == "null" ? "null" : "\"text\"";
}

}  // namespace

std::string example_tests(const Script& script) {
  std::string input;
  const auto parameters = script.input ? parameters_of(script.input->bundled()) : std::vector<Parameter>();
  for (const Parameter& parameter : parameters)
    if (parameter.required)
      input += (input.empty() ? "" : ", ") + json_string(parameter.name) + ": " + example_value(parameter);
  return "script: " + script.place.script +
         "\n"
         "cases:\n"
         "  - name: \"what it shows\"\n"
         "    input: {" +
         input +
         "}\n"
         "    expect:\n"
         "      contains: {}    # the part of the output that matters; `output: ...` compares all of it\n";
}

}  // namespace band::client
