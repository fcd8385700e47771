// Used by `band run`, `band exec` and `band shell`: sends the request of a plan to the server, and writes the files of
// the answer into the workspace.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "client/commands/connect.h"
#include "client/commands/run_plan.h"
#include "client/terminal/keyboard.h"
#include "client/terminal/terminal.h"
#include "client/transport/daemon.h"
#include "client/transport/request_text.h"
#include "client/workspace/partial.h"
#include "schemas/core/result.h"

namespace band::client {

inline constexpr int kSignalBase = 128;  // a command that signal N ended exits with kSignalBase + N

// Loads the script that the first argument names; the command line must have an argument.
Result<Script> named_script(const CommandLine& line, Terminal& terminal);
// Returns the script that the command line names. If there is an error, or if --help is given, prints the error or the
// help, and returns the exit code.
std::variant<Script, int> script_of(const CommandLine& line, Terminal& terminal);
// Returns the plan of `band run` and `band shell`. If there is an error, or if --help is given, prints the error or the
// help, and returns the exit code.
std::variant<RunPlan, int> plan_of(const CommandLine& line, Terminal& terminal);

struct Prepared {
  Shipment shipment;
  std::optional<PartialDirectory> partial;  // with --keep-partial
};
// Reads the files of the workspace that are sent according to the plan. With --keep-partial, also creates the
// directory, or checks that it is empty. This is the last step before the request is sent.
Result<Prepared> prepare(const RunPlan& plan);

// Moves the files of `prepared` into the request. Error (Code::LimitExceeded): the files have grown since the plan was
// made, and the request has become too large.
Result<RequestText> request_text(const RunPlan& plan, Prepared& prepared);

struct Course {
  Result<Answer> answer;
  // The first signal that was received during the run; this signal has ended the run. 0: no signal was received.
  int signal = 0;
};
// Connects with Connection::open(), sends the request and waits for the answer. If the server refuses the request
// because its ceiling denies files of `prepared`, requests the ceiling, leaves these files out with a note, and sends
// the request once more; `prepared` then has the files that were sent. Installs signal handlers; therefore only one
// call may run at a time. Calls `listen` for each request, when the server has proved that it has the token's hash;
// `listen` returns the Listener for the run. The argument of `listen` is a function that ends the run; any thread may
// call this function. For a plan with a terminal, `keyboard` is the caller's terminal, which is switched to raw mode
// when the script starts.
using Stop = std::function<void()>;
Course execute(const RunPlan& plan, Prepared& prepared, Terminal& terminal,
               const std::function<Listener(const Stop&)>& listen, Keyboard* keyboard = nullptr);
// As execute(), on a connection that is already open. Installs no signal handlers: the caller handles signals.
Result<Answer> execute_on(Connection& connection, const Target& target, const RunPlan& plan, const RequestText& request,
                          const std::function<Listener(const Stop&)>& listen, Keyboard* keyboard = nullptr);
Error interrupted();  // the error of a run that a signal ended

// Writes the files into the workspace. A first signal does not interrupt the writing, so that the workspace gets all
// files; a second signal ends the process (client/host/interrupt.h).
Result<WriteBack> take_back(const RunPlan& plan, const Shipment& shipment, const std::vector<ShippedFile>& files);
// As take_back(), but installs no signal handlers: the caller handles signals.
Result<WriteBack> put_back(const RunPlan& plan, const Shipment& shipment, const std::vector<ShippedFile>& files);
// Writes the files of a failed run into the directory of --keep-partial. Returns nullopt if --keep-partial is not given
// or the answer has no files. After an error, prints the error and returns nullopt.
std::optional<WriteBack> keep_partial(const RunPlan& plan, Prepared& prepared, const Answer& answer,
                                      Terminal& terminal);

}  // namespace band::client
