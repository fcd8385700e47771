// The lines of BAND.md that would open something to the script of a run, as `band why` prints them.
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

  // "write in notes/BAND.md:  allow: {cli: [\"gh pr list\"]}"; "" where no line opens it (a deny, the operator's
  // ceiling), it is open, or the rules are in no file (`band exec`). Wider: what is alike, too, where that can be
  // proposed.
  std::string for_question(const Question& question, bool wider = false) const;

 private:
  std::optional<Grounds> grounds_;
};

}  // namespace band::client
