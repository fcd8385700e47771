// Combines the files of a schema into one: every `$ref` becomes "#" or "#/definitions/<name>", for valijson and
// `--help`.
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
  std::string name;                            // name of the first document, for messages
};

// Errors (Code::SkillInvalid): those of keywords.h and files.h; a reference whose target is missing or not a schema; a
// cycle of references that never descends into the value (the check would not terminate); more than 200,000 values.
Result<Bundle> bundle_schema(SchemaFiles& files, const SchemaFiles::Document& first);

// Returns the target of a reference "#/definitions/x" or "#" of a bundle.
const Json& bundled_target(const Json& bundle, const std::string& reference);

}  // namespace band
