// The configuration of a script at $CONFIG_PATH: the band's own key, and the user's file for the skill. The user's file
// can close more than the band and open nothing that the band closes (schemas/band/narrow.h).
#pragma once

#include <string>

#include "client/skills/skills.h"
#include "schemas/core/json_value.h"
#include "schemas/core/result.h"

namespace band::client {

struct Configuration {
  JsonValue value = JsonValue::object();
  std::string file;  // the user's file, ~/.config/band/skills/SKILL.yaml; "" if there is none
};

// Reads the user's file: YAML, a map with one key, the band's name, as in BAND.md. Errors: Code::Usage when it cannot
// be read or has another form, Code::SkillInvalid when it does not fit the band. Both name the file.
Result<Configuration> configuration_of(const Script& script);
// As above, with the map `own` instead of the map in the user's file. `file` is named in errors.
Result<Configuration> configuration_with(const Script& script, const Json& own, const std::string& file);

}  // namespace band::client
