// One schema out of many: every `$ref` becomes "#" or "#/definitions/<name>", which valijson and `--help` can follow.
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
  std::string name;                            // of the first document, for messages
};

// Errors (Code::SkillInvalid): what keywords.h and files.h refuse; a reference that leads nowhere or to
// something that is no schema; references that come back to themselves without going into the value (they would
// never end); over 200,000 values in all.
Result<Bundle> bundle_schema(SchemaFiles& files, const SchemaFiles::Document& first);

// The definition that a bundled "#/definitions/x" or "#" names.
const Json& bundled_target(const Json& bundle, const std::string& reference);

}  // namespace band
