// Checks the schemas of a skill: contradictions in a schema; schemas that no script uses; examples and other values in
// a schema that the schema itself does not allow.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "client/checks/findings.h"
#include "schemas/core/json_value.h"

namespace band::client {

struct SchemaFile {
  std::string path;  // below schemas/: "input/go.json"
  std::string text;
  JsonValue content;
};
struct SchemaFiles {
  std::filesystem::path root;  // schemas/ of the skill
  std::vector<SchemaFile> files;
};

// Reads every *.json below schemas/ that is valid JSON. `directory`: the skill's directory. Ignores the other files;
// load_script() (client/skills/skills.h) reports an invalid file if a script uses it.
SchemaFiles read_schemas(const std::string& directory);

// The data from which check_schemas() derives which schemas are used.
struct SchemaOwners {
  const std::vector<std::string>& scripts;  // names of the skill's scripts
  const std::set<std::string>& stated;      // files that bands name in `contract`: "shared.json"
  bool all_known = true;  // false: an invalid band may name further files, so no schema is reported as unused
};
// Adds findings about the schemas to `found`. Does not add the errors that load_script() reports: a wrong form,
// references that cannot be followed, invalid defaults.
void check_schemas(const std::string& skill, const SchemaFiles& schemas, const SchemaOwners& owners, Findings& found);

// Adds line and column to errors about a schema ("...: schema input/go.json#/properties/n: ..."). Errors about a file
// of more than 64 KiB get no line and column: the positions come from the YAML parser, which accepts at most 64 KiB.
void locate_in_schemas(const std::string& skill, const SchemaFiles& schemas, std::vector<Diagnostic>& errors);

}  // namespace band::client
