// One run of `band learn`: a script with an input, under rules that are not those of its band. Nothing is written back
// into the workspace.
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
  Result<Answer> answer;  // an Error: the connection failed, or a signal was received
  int signal = 0;         // the signal that ended the run; 0: none
};
// `input`: complete with the parameters, and checked. When the run cannot be planned, returns an answer with that
// error, because the connection did not fail.
LearnAnswer run_of_learn(const CommandLine& line, Terminal& terminal, const Script& script, const Json& input,
                         const Rules& rules);

}  // namespace band::client
