#include "client/checks/given_input.h"

#include <algorithm>

#include "client/skills/parameters.h"

namespace band::client {

std::string schema_of(const Script& script, const char* side) {
  const std::string& stated =
      side == std::string("input") ? script.band.band.input_schema : script.band.band.output_schema;
  if (!stated.empty()) return stated;
  return script.place.skill + "/schemas/" + side + "/" + script.place.script + ".json";
}

Diagnostic misfit(const std::string& file, int line, int column, const std::string& what, const std::string& why,
                  std::string hint) {
  std::string one_line = why;
  std::replace(one_line.begin(), one_line.end(), '\n', ' ');
  return {file, line, column, what + ": " + one_line, std::move(hint)};
}

std::optional<Error> GivenInputs::refusal(const Script& script, const GivenInput& given, const std::string& place) {
  if (script.input) return why_refused(script, given.input, given.words, given.verb);
  const bool empty = given.words.empty() && (!given.input || !why_refused(script, given.input, {}, given.verb));
  if (!empty && without_schema_.insert(script.place.name).second)
    errors_.push_back(
        {schema_of(script, "input"), 0, 0,
         "is missing. Without it " + script.place.name + " accepts no input, but " + place + " passes one",
         "write the schema, as in {\"type\": \"object\", \"properties\": {\"name\": {\"type\": "
         "\"string\"}}}; or remove the input there"});
  return std::nullopt;
}

void GivenInputs::check(const Script& script, const SkillCase& one) {
  GivenInput given{std::nullopt, one.arguments};
  if (one.input) given.input = dump_json(*one.input);
  if (!script.input && one.expect.code == Code::InputInvalid) return;
  const auto error = refusal(script, given, one.place());
  if (!error || one.expect.code == error->code) return;
  const std::string code(code_name(error->code));
  const bool by_words = error->code == Code::Usage || error->doing.starts_with("-");
  const auto& at = by_words || !one.input ? one.arguments_at : one.input_at;
  errors_.push_back(misfit(one.file, at.line, at.column,
                           "the input of the test does not fit " + schema_of(script, "input"), error->message(),
                           "change the input, or write `expect: {code: " + code + "}` if the case tests this refusal"));
}

}  // namespace band::client
