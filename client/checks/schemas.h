// Checks each schema of a skill for contradictions, unused files and values that do not fit.
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

// Reads every *.json below schemas/ that is valid JSON. load_script() reports unreadable schemas that a script uses.
SchemaFiles read_schemas(const std::string& directory);

// Which schemas belong to scripts.
struct SchemaOwners {
  const std::vector<std::string>& scripts;  // names of the skill's scripts
  const std::set<std::string>& stated;      // files named by bands in `contract`: "shared.json"
  bool all_known = true;  // false: an invalid band may name further files, so unused schemas are not noted
};
// Errors that load_script() reports (form, references, defaults) are not repeated here.
void check_schemas(const std::string& skill, const SchemaFiles& schemas, const SchemaOwners& owners, Findings& found);

// Adds line and column to errors about a schema, "...: schema input/go.json#/properties/n: ...". Files of more than 64
// KiB were not read and get none.
void locate_in_schemas(const std::string& skill, const SchemaFiles& schemas, std::vector<Diagnostic>& errors);

}  // namespace band::client
