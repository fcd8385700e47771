#include "client/commands/lines_to_write.h"

#include "client/answers/judgement.h"

namespace band::client {

LinesToWrite::LinesToWrite(const RunPlan& plan) {
  if (plan.script.band.band.file.empty()) return;
  auto grounds = grounds_of(plan.script.band, plan.input, std::nullopt);
  if (grounds.ok()) grounds_ = std::move(grounds).value();
}

std::string LinesToWrite::for_question(const Question& question, bool wider) const {
  if (!grounds_) return "";
  const auto judgement = judge(question, *grounds_);
  if (!judgement.ok() || judgement->outcome != Judgement::Outcome::Refused) return "";
  std::string lines;
  for (const Remedy& remedy : judgement->remedies)
    lines += (lines.empty() ? "" : "; ") +
             (wider && !remedy.wider.empty() ? remedy.instruction(remedy.wider) : remedy.instruction());
  return lines;
}

}  // namespace band::client
