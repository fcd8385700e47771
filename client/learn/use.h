// Whether a pattern opens an action of a run. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/learn/evidence.h"
#include "schemas/core/json_fwd.h"
#include "schemas/pattern/pattern.h"
#include "schemas/rules/rules.h"

namespace band::client::learn {

// `name`: "cli", "net", "read" or "write".
Domain& domain_of(Rules& rules, const std::string& name);
// Returns true when the rule is in this file. Origins are "FILE:LINE".
bool is_of_file(const Rule& rule, std::string_view file);
// Returns a key for the rule: domain, pattern and origin, escaped as in a ledger.
std::string key_of_rule(const std::string& domain, const Rule& rule);
// Returns true when a rule names this program, so that its calls reach the broker.
bool declares(const Domain& cli, std::string_view program);
bool reaches(const std::string& net_pattern, const Contact& contact);
// Returns the patterns of `domain` ("read" or "write") that `pattern` means in a run with this input. A placeholder
// yields a literal pattern for each file that the input names, and none when the input does not have the property.
std::vector<std::string> patterns_named(const std::string& domain, const std::string& pattern, const Json& input);
// Returns true when the pattern opens one of these paths of the workspace. `domain`: "read" or "write". A placeholder
// means the files that this input names.
bool names_one_of(const std::string& domain, const std::string& pattern, const Json& input,
                  const std::vector<std::string>& paths);
// Returns true for a name that only the caller can have set: capital letters, and not set by band or bash.
bool is_environment_name(const std::string& name);
// Returns why a pattern of `cli` opens more than it seems to; "" for no known reason.
std::string warning_of_command(const CliPattern& pattern);

}  // namespace band::client::learn
