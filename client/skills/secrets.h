// Values for the variables that a band declares (docs/architecture.md 6.7). The client looks up only names in the band,
// in this order: --env-file, the environment, ~/.config/band/env, the band's default. A source that is more specific to
// the call has precedence.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/rules/rules.h"

namespace band::client {

struct EnvSource {
  std::string label;  // "environment", "--env-file /x", "~/.config/band/env"
  std::map<std::string, std::string> values;
};

// Parses NAME=VALUE lines; `#` comments, `export `, '...' and "..." (with \n \t \" \\ \$ in it). Errors name FILE:LINE,
// and never contain a value.
Result<std::map<std::string, std::string>> parse_env_file(std::string_view text, const std::string& file);

// Returns the sources of this process, highest precedence first; from the environment only the names in `rules`.
Result<std::vector<EnvSource>> env_sources(const std::vector<EnvRule>& rules,
                                           const std::optional<std::string>& env_file);

struct ResolvedEnv {
  std::map<std::string, std::string> env, secrets;
  std::map<std::string, std::string> found_in;  // name -> label, "default", or absent
  std::vector<std::string> missing;             // required, and in no source (an empty value counts as missing)
};

ResolvedEnv resolve_env(const std::vector<EnvRule>& rules, const std::vector<EnvSource>& sources);
Error secret_missing(const ResolvedEnv& resolved,
                     const std::vector<EnvRule>& rules);  // lists all of them, with a remedy

}  // namespace band::client
