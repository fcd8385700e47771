// A skill's schemas against themselves, each other, and the values in them.
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

// Every *.json below schemas/ that is JSON. load_script() complains of what a script uses and cannot be read.
SchemaFiles read_schemas(const std::string& directory);

// Which schemas are those of scripts.
struct SchemaOwners {
  const std::vector<std::string>& scripts;  // names of the skill's scripts
  const std::set<std::string>& stated;      // files that bands name in `contract`: "shared.json"
  bool all_known = true;                    // else a band may name further ones, and no schema is lost
};
// What load_script() refuses (form, references, defaults) is not repeated here.
void check_schemas(const std::string& skill, const SchemaFiles& schemas, const SchemaOwners& owners, Findings& found);

// Gives errors about a schema, "...: schema input/go.json#/properties/n: ...", the line and column of what the pointer
// names. Of a file of more than 64 KiB no lines are known.
void locate_in_schemas(const std::string& skill, const SchemaFiles& schemas, std::vector<Diagnostic>& errors);

}  // namespace band::client
