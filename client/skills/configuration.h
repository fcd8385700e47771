// The configuration of a script, which the script reads from the file $CONFIG_PATH. It is joined from two maps: the map
// that BAND.md has under the band's name as key, and the map in the user's configuration file for the skill. The script
// interprets the settings. Joining only makes settings stricter: for example, of two lists of allowed items it keeps
// the common items (schemas/permit/narrow.h).
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

// Reads the user's configuration file and returns the script's configuration. If the file does not exist, the result is
// the map in BAND.md. The file is a YAML map with one key, the band's name, as in BAND.md. Errors: Code::Usage when the
// file cannot be read or has another form, Code::SkillInvalid when narrow() cannot join the two maps. Both errors name
// the file.
Result<Configuration> configuration_of(const Script& script);
// As configuration_of(), but uses the map `own` in place of the map in the user's configuration file. Errors name
// `file` as the file that contains `own`.
Result<Configuration> configuration_with(const Script& script, const Json& own, const std::string& file);

}  // namespace band::client
