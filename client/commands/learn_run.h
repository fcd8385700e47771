// One run of `band learn`: a script with an input under rules that are not its band's, and what came of it. Nothing
// comes back into the workspace.
#pragma once

#include "client/skills/skills.h"
#include "client/terminal/command_line.h"
#include "client/terminal/terminal.h"
#include "schemas/core/json_fwd.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"

namespace band::client {

struct LearnAnswer {
  Result<Answer> answer;  // an error: the connection failed, or a signal came
  int signal = 0;         // that ended the run
};
// `input`: with the parameters, and checked. A run that could not be planned has an answer with an error: what it would
// have needed is no fault of the connection.
LearnAnswer run_of_learn(const CommandLine& line, Terminal& terminal, const Script& script, const Json& input,
                         const Rules& rules);

}  // namespace band::client
