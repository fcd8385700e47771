// Parses a file of tests/ into cases. Checks the file against schemas/skill_test.schema.json, and checks the rules that
// a schema cannot express. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/skill_tests/skill_case.h"
#include "schemas/core/diagnostic.h"

namespace band::client {

// `file` is shown in messages; `scripts` are the names of the skill's scripts. Adds all errors of the file to `errors`;
// returns no cases if the file has an error.
std::vector<SkillCase> read_cases(std::string_view text, const std::string& file,
                                  const std::vector<std::string>& scripts, std::vector<Diagnostic>& errors);

}  // namespace band::client
