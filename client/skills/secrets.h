// Values for the environment variables that a band declares (docs/architecture.md 6.7). The client looks up only names
// that the band declares. The first of these sources that has the name is used: --env-file, the environment,
// ~/.config/band/env, the default in the band. For a required variable, a source with an empty value is skipped.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/rules/rules.h"

namespace band::client {

// Returns whether the value of a variable with this name is probably a credential: GITHUB_TOKEN, API_KEY.
bool is_credential_name(std::string_view name);
// Returns whether the value is probably the path of a directory: TOOL_DIR, DATA_FOLDER. Not CONFIG_FILE and
// WEBHOOK_PATH: their values can be the content of a file, and a credential.
bool is_directory_name(std::string_view name);

struct EnvSource {
  std::string label;  // "environment", "--env-file /x", "~/.config/band/env"
  std::map<std::string, std::string> values;
};

// Parses lines NAME=VALUE. Accepts `#` comments, the prefix `export `, and values in '...' and "..." (the latter with
// \n \t \" \\ \$ \`). Errors (Code::Usage) name FILE:LINE, and never contain a value.
Result<std::map<std::string, std::string>> parse_env_file(std::string_view text, const std::string& file);

// Returns the sources that this process reads, the one with the highest precedence first. `env_file`: the path of
// --env-file. The source "environment" has only the names in `rules`. ~/.config/band/env is read only if `rules` is not
// empty. Errors: Code::Usage.
Result<std::vector<EnvSource>> env_sources(const std::vector<EnvRule>& rules,
                                           const std::optional<std::string>& env_file);

struct ResolvedEnv {
  // The values of the variables that are not secret, and of those that are secret.
  std::map<std::string, std::string> env, secrets;
  std::map<std::string, std::string> found_in;  // name -> label of the source, or "default"; absent: no value found
  std::vector<std::string> missing;             // required names that no source has; an empty value counts as missing
};

ResolvedEnv resolve_env(const std::vector<EnvRule>& rules, const std::vector<EnvSource>& sources);
Error secret_missing(const ResolvedEnv& resolved,
                     const std::vector<EnvRule>& rules);  // names all missing variables, with a remedy

}  // namespace band::client
