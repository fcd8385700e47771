// What `band run`, `band exec` and `band shell` have in common: a plan goes to the server, and files come back.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "client/commands/connect.h"
#include "client/commands/run_plan.h"
#include "client/terminal/keyboard.h"
#include "client/terminal/terminal.h"
#include "client/transport/daemon.h"
#include "client/workspace/partial.h"
#include "schemas/core/result.h"

namespace band::client {

inline constexpr int kSignalBase = 128;

// The script that the first argument names.
Result<Script> named_script(const CommandLine& line, Terminal& terminal);
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

// The request of a run as text. It has the secrets: its bytes are overwritten at its end.
class RequestText {
 public:
  explicit RequestText(std::string text) : text_(std::move(text)) {}
  RequestText(RequestText&& other) noexcept : text_(std::exchange(other.text_, "")) {}
  RequestText& operator=(RequestText&&) = delete;
  ~RequestText();
  std::string_view text() const { return text_; }

 private:
  std::string text_;
};
// The files of `prepared` are moved into it.
Result<RequestText> request_text(const RunPlan& plan, Prepared& prepared);

struct Course {
  Result<Answer> answer;
  int signal = 0;  // that ended it; the answer is an error then
};
// Sends it and waits for its end. `listen` is called once, when the server has proved itself, with what ends the run
// from any thread. Of a plan with a terminal `keyboard` is that terminal, in its raw mode when the script starts.
using Stop = std::function<void()>;
Course execute(const RunPlan& plan, Prepared& prepared, Terminal& terminal,
               const std::function<Listener(const Stop&)>& listen, Keyboard* keyboard = nullptr);
// The part of it behind the opening of the connection. Signals are the caller's.
Result<Answer> execute_on(Connection& connection, const Target& target, const RunPlan& plan, const RequestText& request,
                          const std::function<Listener(const Stop&)>& listen, Keyboard* keyboard = nullptr);
Error interrupted();

// Into the workspace. A first signal does not come between two files.
Result<WriteBack> take_back(const RunPlan& plan, const Shipment& shipment, const std::vector<ShippedFile>& files);
// The same; signals are the caller's.
Result<WriteBack> put_back(const RunPlan& plan, const Shipment& shipment, const std::vector<ShippedFile>& files);
// Nothing without --keep-partial, or without files.
std::optional<WriteBack> keep_partial(const RunPlan& plan, std::optional<PartialDirectory>& partial,
                                      const Answer& answer, Terminal& terminal);

}  // namespace band::client
