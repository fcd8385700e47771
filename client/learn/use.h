// Decides whether a rule or pattern allows an action of a run. Pure.
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
// Returns true when the rule is in this file, according to its origin ("FILE:LINE").
bool is_of_file(const Rule& rule, std::string_view file);
// Returns a key for the rule: domain, pattern and origin. They are escaped as in the ledger, the part of the server's
// answer that records what the script did.
std::string key_of_rule(const std::string& domain, const Rule& rule);
// Returns true when a rule of `cli` names this program. Then calls of the program reach the broker (the part of the
// server that compares command lines with the rules), and are in the ledger.
bool declares(const Domain& cli, std::string_view program);
// Returns true when the pattern of `net` allows the contact.
bool reaches(const std::string& net_pattern, const Contact& contact);
// Returns what `pattern` of `domain` ("read" or "write") becomes in a run with this input: a placeholder is replaced.
// For a placeholder `{property}`, these are one pattern without wildcards for each file that the property names; none
// when the input has no valid value of the property. For any other pattern, returns only this pattern.
std::vector<std::string> patterns_named(const std::string& domain, const std::string& pattern, const Json& input);
// Returns true when `pattern` of `domain` ("read" or "write") matches one of these paths of the workspace, in a run
// with this input.
bool names_one_of(const std::string& domain, const std::string& pattern, const Json& input,
                  const std::vector<std::string>& paths);
// Returns true for the name of a variable that a script probably expects from the caller: it consists of capital
// letters, digits and `_`, and neither band nor bash sets it.
bool is_environment_name(const std::string& name);
// Returns why a pattern of `cli` allows more than it seems to; "" for no known reason.
std::string warning_of_command(const CliPattern& pattern);

}  // namespace band::client::learn
