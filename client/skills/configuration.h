// The configuration that a script reads at $CONFIG_PATH: the map that the key with the band's name has in BAND.md,
// joined with the map in the user's configuration file for the skill. The script interprets the settings. Joining only
// makes settings stricter: for example, of two lists of allowed items it keeps the common items
// (schemas/band/narrow.h).
#pragma once

#include <string>

#include "client/skills/skills.h"
#include "schemas/core/json_value.h"
#include "schemas/core/result.h"

namespace band::client {

struct Configuration {
  JsonValue value = JsonValue::object();
  std::string file;  // the user's configuration file, ~/.config/band/skills/SKILL.yaml; "" if there is none
};

// Reads the user's configuration file and returns the script's configuration. The file is a YAML map with one key, the
// band's name, as in BAND.md. Errors: Code::Usage when the file cannot be read or has another form, Code::SkillInvalid
// when narrow() cannot join the file's map with the band's. Both errors name the file.
Result<Configuration> configuration_of(const Script& script);
// As configuration_of(), but uses the map `own` in place of the map in the user's configuration file. Errors name
// `file` as the file that contains `own`.
Result<Configuration> configuration_with(const Script& script, const Json& own, const std::string& file);

}  // namespace band::client
