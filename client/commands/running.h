// What `band run`, `band exec` and `band shell` have in common: a plan goes to the server, and files come back.
#pragma once

#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "client/commands/run_plan.h"
#include "client/terminal/keyboard.h"
#include "client/terminal/terminal.h"
#include "client/transport/daemon.h"
#include "client/workspace/partial.h"
#include "schemas/core/result.h"

namespace band::client {

inline constexpr int kSignalBase = 128;

// The script that the command line names, or the exit code of what was printed in its place.
std::variant<Script, int> script_of(const CommandLine& line, Terminal& terminal);
// The plan of `band run` and `band shell`, or the exit code of what was printed in its place.
std::variant<RunPlan, int> plan_of(const CommandLine& line, Terminal& terminal);

struct Prepared {
  Shipment shipment;
  std::optional<PartialDirectory> partial;  // with --keep-partial
};
// Reads the workspace's files; after this something is sent.
Result<Prepared> prepare(const RunPlan& plan);

struct Course {
  Result<Answer> answer;
  int signal = 0;  // that ended it; the answer is an error then
};
// Sends it and waits for its end. `listen` is called once, when the server has proved itself, with what ends the run
// from any thread. Of a plan with a terminal `keyboard` is that terminal, in its raw mode when the script starts.
using Stop = std::function<void()>;
Course execute(const RunPlan& plan, Prepared& prepared, Terminal& terminal,
               const std::function<Listener(const Stop&)>& listen, Keyboard* keyboard = nullptr);
Error interrupted();

Result<WriteBack> take_back(const RunPlan& plan, const Shipment& shipment, const std::vector<ShippedFile>& files);
// Nothing without --keep-partial, or without files.
std::optional<WriteBack> keep_partial(const RunPlan& plan, std::optional<PartialDirectory>& partial,
                                      const Answer& answer, Terminal& terminal);

}  // namespace band::client
