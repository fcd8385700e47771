// One run of `band learn`: runs a script with an input and with given rules in place of the rules of the script's band.
// Writes no file back into the workspace.
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
  Result<Answer> answer;  // an Error only if the server was not reached or did not answer, or after a signal
  int signal = 0;         // the signal that ended the run; 0: no signal ended it
};
// `input`: the checked input, which already includes the parameters. If the run cannot be planned (for example, because
// files that the run would write cannot be sent), no request is sent, and `answer` is an Answer that contains the error
// of the plan. `band learn` derives proposed rules from this error in the same way as from an error of the server.
LearnAnswer run_of_learn(const CommandLine& line, Terminal& terminal, const Script& script, const Json& input,
                         const Rules& rules);

}  // namespace band::client
