// A skill's schemas against themselves, each other, and the values in them.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "client/checks/findings.h"

namespace band::client {

// Every *.json below `schemas`. `scripts` are the names of the skill's scripts, `stated` the files that bands name in
// `contract` ("shared.json"). What load_script() refuses (form, references, defaults) is not repeated here.
void check_schemas(const std::string& skill, const std::string& directory, const std::vector<std::string>& scripts,
                   const std::set<std::string>& stated, Findings& found);

// Gives errors about a schema, "...: schema input/go.json#/properties/n: ...", the line and column of what the pointer
// names. Of a file of more than 64 KiB no lines are known.
void locate_in_schemas(const std::string& skill, const std::string& directory, std::vector<Diagnostic>& errors);

}  // namespace band::client
