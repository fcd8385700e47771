// The lines for a BAND.md that would allow an action to the script of a run, as `band why` prints them.
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

  // "write in notes/BAND.md:  allow: {cli: [\"gh pr list\"]}". Returns "" when no line allows it (a deny, the
  // operator's ceiling), when it is allowed already, or when the rules are in no file (`band exec`). `wider`: prefers a
  // pattern that also covers similar actions, where one exists.
  std::string for_question(const Question& question, bool wider = false) const;

 private:
  std::optional<Grounds> grounds_;
};

}  // namespace band::client
