// A schema and a value in one text, separated by a byte 0xFF: no schema crashes the loader, no value the checker;
// filling in defaults is idempotent; the bundle is a schema that accepts the same values.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "schemas/core/json.h"
#include "schemas/core/json_compare.h"
#include "schemas/json_schema/input_schema.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\xFF');
  const auto written = band::parse_json(text.substr(0, end), "schema");
  if (!written.ok()) return 0;
  const auto schema = band::InputSchema::from_json(*written, "fuzz.json");
  if (!schema.ok()) {
    require(schema.error().code == band::Code::SkillInvalid);
    return 0;
  }
  const auto again = band::InputSchema::from_json(schema->bundled(), "bundle.json");
  require(again.ok());
  band::Json value;
  if (end != std::string_view::npos)
    if (auto given = band::parse_json(text.substr(end + 1), "value"); given.ok()) value = *std::move(given);
  require(schema->validate(value).size() <= 50);
  schema->apply_defaults(value);
  band::Json once = value;
  schema->apply_defaults(value);
  require(band::equal_json(once, value));
  require(schema->validate(value).empty() == again->validate(value).empty());
  return 0;
}
