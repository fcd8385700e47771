// Values for the variables that a band takes (design section 9). They are looked up on the caller's side, for names in
// the band only, in this order: --env-file, the environment, ~/.config/band/env, the band's own default. The nearer to
// the one call, the stronger.
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

// NAME=VALUE lines; `#` comments, `export `, '...' and "..." (with \n \t \" \\ \$ in it). Errors name FILE:LINE, never
// a value.
Result<std::map<std::string, std::string>> parse_env_file(std::string_view text, const std::string& file);

// The sources of this process, strongest first; of the environment only the names in `rules` are looked at.
Result<std::vector<EnvSource>> env_sources(const std::vector<EnvRule>& rules,
                                           const std::optional<std::string>& env_file);

struct ResolvedEnv {
  std::map<std::string, std::string> env, secrets;
  std::map<std::string, std::string> found_in;  // name -> label, "default", or absent
  std::vector<std::string> missing;             // required, and nowhere (an empty value counts as nowhere)
};

ResolvedEnv resolve_env(const std::vector<EnvRule>& rules, const std::vector<EnvSource>& sources);
Error secret_missing(const ResolvedEnv& resolved, const std::vector<EnvRule>& rules);  // names all, with the mend

}  // namespace band::client
