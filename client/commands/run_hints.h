// Adds hints to the error of a failed run (client/hints).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client/commands/run_plan.h"
#include "client/hints/failure.h"
#include "client/terminal/terminal.h"
#include "client/workspace/workspace.h"
#include "schemas/wire/wire.h"

namespace band::client {

// Returns a hint in which "raise limit.NAME in the band" (or "in BAND.md"), as the server and the rooms of the client
// write it, is replaced by what the reader can write: the flag of `band exec`, or the line of `file`. The proposed
// value is larger than that of `limits`.
std::string with_limit_line(std::string hint, Reader reader, const std::string& file, const EffectiveLimits& limits);

// Prints the message of a run's error, and each line of its hint as a hint.
void print_run_error(Terminal& terminal, const Error& error);

// The hints about one run. Collects the facts of the run when they are needed first. All texts of one object can be
// applied together (Mend::render()).
class RunAdvice {
 public:
  // All must outlive the object. `answer`: it may still get its error before the first call. `shipment`: its files may
  // have been moved away.
  RunAdvice(const RunPlan& plan, const Shipment& shipment, const Answer& answer);
  ~RunAdvice();
  RunAdvice(const RunAdvice&) = delete;
  RunAdvice& operator=(const RunAdvice&) = delete;

  // Sets the hint of the error of `answer`, which is that of the constructor: one line for each hint of client/hints,
  // the most likely first; at most kMostHints lines. Keeps a hint of the server or of the script as one of these lines;
  // a hint that the server has derived only from the exit status, the log or a refusal is kept only if client/hints has
  // none. If the message has `[masked]`, adds a line that names the variables whose values the server masks. If the
  // answer has no error, does nothing.
  void add_hints(Answer& answer);
  // Advice::allowing(), Advice::unnoticed() and Advice::lost() of client/hints.
  std::vector<std::string> allowing(const std::vector<std::string_view>& refusals);
  // Returns quickly if the run gives no reason to search. `back`: the files that the run has written. `most`: at most
  // kMostHints.
  std::vector<std::string> unnoticed(const std::optional<WriteBack>& back, std::size_t most);
  std::vector<std::string> lost(const std::vector<std::string>& paths);

 private:
  struct Facts;
  Facts& facts();

  const RunPlan& plan_;
  const Shipment& shipment_;
  const Answer& answer_;
  std::unique_ptr<Facts> facts_;
};

}  // namespace band::client
