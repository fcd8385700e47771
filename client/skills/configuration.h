// The configuration that a script finds at $CONFIG_PATH: the band's own key, and the user's file for the skill, which
// can close more than the band and open nothing that the band closes (schemas/band/narrow.h).
#pragma once

#include <string>

#include "client/skills/skills.h"
#include "schemas/core/json_value.h"
#include "schemas/core/result.h"

namespace band::client {

struct Configuration {
  JsonValue value = JsonValue::object();
  std::string file;  // the user's, ~/.config/band/skills/SKILL.yaml; "" when there is none
};

// The user's file is YAML: a map with one key, the band's name, as in BAND.md. Errors: Code::Usage when it cannot be
// read or is not of that form, Code::SkillInvalid when it does not fit the band; both name the file.
Result<Configuration> configuration_of(const Script& script);
// `own`, a map, in place of what the user's file has below the band's name; `file` is where it is written.
Result<Configuration> configuration_with(const Script& script, const Json& own, const std::string& file);

}  // namespace band::client
