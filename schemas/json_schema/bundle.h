// Combines a schema and the files to which the schema refers into one schema, the bundle: every `$ref` becomes "#" or
// "#/definitions/<name>". nodes.h prepares the bundle for the library valijson; `band show SKILL/SCRIPT --json` prints
// the bundle.
#pragma once

#include <map>
#include <string>

#include "schemas/core/json_value.h"
#include "schemas/core/result.h"
#include "schemas/json_schema/files.h"

namespace band {

struct Bundle {
  JsonValue schema;
  std::map<std::string, std::string> origins;  // name in `definitions` -> "defs/address.json#/definitions/zip"
  std::string name;                            // name of the document `first`, for messages
};

// Errors (Code::SkillInvalid): the errors of check_schema_form() (keywords.h) and SchemaFiles (files.h); a reference
// whose target is missing or not a schema; a cycle of references that apply to the same value, because a check of this
// value would not terminate; more than 200,000 JSON values in the bundle.
Result<Bundle> bundle_schema(SchemaFiles& files, const SchemaFiles::Document& first);

// Returns the schema in `bundle` to which `reference` ("#/definitions/x" or "#") refers.
const Json& bundled_target(const Json& bundle, const std::string& reference);

}  // namespace band
