// Returns the line to write in a BAND.md so that the script of a run may do something, as `band why` prints it.
#pragma once

#include <optional>
#include <string>

#include "client/answers/grounds.h"
#include "client/answers/question.h"
#include "client/commands/run_plan.h"

namespace band::client {

class LinesToWrite {
 public:
  explicit LinesToWrite(const RunPlan& plan);

  // "write in notes/BAND.md:  allow: {cli: [\"gh pr list\"]}". Returns "" when no line can allow the action (a deny or
  // the operator's ceiling prevents it), when it is already allowed, or when the rules are in no file (`band exec`).
  // `wider`: if there is a pattern that also covers similar actions, returns the line with this pattern.
  std::string for_question(const Question& question, bool wider = false) const;

 private:
  std::optional<Grounds> grounds_;
};

}  // namespace band::client
