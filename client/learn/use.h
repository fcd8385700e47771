// Whether something that happened is what a pattern opens. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/learn/evidence.h"
#include "schemas/core/json_fwd.h"
#include "schemas/pattern/pattern.h"
#include "schemas/rules/rules.h"

namespace band::client::learn {

// "cli", "net", "read" or "write".
Domain& domain_of(Rules& rules, const std::string& name);
// Does the rule stand in this file? Origins are "FILE:LINE".
bool is_of_file(const Rule& rule, std::string_view file);
// By which a set remembers the rule: domain, pattern and origin, as a ledger has them.
std::string key_of_rule(const std::string& domain, const Rule& rule);
// Does a rule name this program, so that the broker is asked for it?
bool declares(const Domain& cli, std::string_view program);
bool reaches(const std::string& net_pattern, const Contact& contact);
// The patterns that a pattern of `domain` ("read" or "write") stands for in a run with this input: a placeholder for a
// literal one of each file that the input names, and for none where the input does not have the property.
std::vector<std::string> patterns_named(const std::string& domain, const std::string& pattern, const Json& input);
// Is one of these paths of the workspace opened by the pattern? `domain` is "read" or "write"; a placeholder means what
// this input names.
bool names_one_of(const std::string& domain, const std::string& pattern, const Json& input,
                  const std::vector<std::string>& paths);
// A name that a script can have from its caller only: capital letters, none of band's own and none of bash's.
bool is_environment_name(const std::string& name);
// Why a pattern of `cli` opens more than it seems to; "" when nothing is known.
std::string warning_of_command(const CliPattern& pattern);

}  // namespace band::client::learn
