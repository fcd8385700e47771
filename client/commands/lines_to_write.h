// Composes texts for the user about an action that the rules of a script do not allow. A text names the line that would
// allow the action, and the BAND.md to which the user must add the line. The hints of failed runs contain these texts.
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

  // Returns "write in notes/BAND.md:  allow: {cli: [\"gh pr list\"]}"; several lines are separated by "; ". Returns ""
  // when no line can allow the action (for example, because a deny rule matches it), when the action is already allowed
  // or depends on facts that only a run shows, and when the plan's band has no file name. The operator's ceiling is not
  // considered. `wider`: if there is a pattern that also covers similar actions, returns the line with this pattern.
  std::string for_question(const Question& question, bool wider = false) const;

 private:
  std::optional<Grounds> grounds_;
};

}  // namespace band::client
