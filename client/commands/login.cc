// `band login`: stores a token that `band token add` printed as a target. It reads standard input, because an argument
// would be in the shell's history, and readable in /proc by every user of the machine.
#include <unistd.h>

#include "client/commands/commands.h"
#include "client/host/environment.h"
#include "client/host/invoker.h"
#include "client/host/standard_input.h"
#include "client/targets/targets.h"
#include "client/transport/daemon.h"

namespace band::client {
namespace {

constexpr std::size_t kMaxHandedOver = 4096;  // bytes; the line has about 120 characters

// Returns --target, else $BAND_TARGET, else `local`. Other commands would then use the target that is set up; `band
// login` does not, because it would overwrite this target.
Result<std::string> target_to_make(const CommandLine& line) {
  const std::string stated = environment("BAND_TARGET").value_or("");
  return target_name(line.target.value_or(stated.empty() ? "local" : stated));
}

Result<Target> log_in(const CommandLine& line, Terminal& terminal) {
  BAND_TRY(const std::string name, target_to_make(line));
  BAND_TRY(const auto invoker, sudo_invoker());
  BAND_TRY(Target target, target_from_input(name, terminal));
  target.by_login = true;
  if (Status known = Daemon(target).prove(); !known.ok()) {
    Error error = known.error();
    if (error.code == Code::Unauthorized)
      error.hint =
          "the token was revoked, or belongs to another server; the server's operator makes a new one: `band token "
          "add NAME` there";
    return error;
  }
  BAND_CHECK(as_invoker(invoker, [&] { return save_target(target); }));
  return target;
}

}  // namespace

Result<Target> target_from_input(const std::string& name, Terminal& terminal) {
  const bool asked = ::isatty(STDIN_FILENO) == 1;
  if (asked) terminal.note("paste the line that `band token add` printed, then press Enter:");
  BAND_TRY(auto text, read_standard_input(kMaxHandedOver, asked ? Until::Line : Until::End));
  if (text) return handed_over(name, std::move(*text));
  return Error{.code = Code::InputInvalid,
               .doing = "standard input has more than the line of `band token add`",
               .hint = "pass that line only"};
}

int login_command(const CommandLine& line, Terminal& terminal) {
  const auto target = log_in(line, terminal);
  if (!target.ok()) return fail(line, terminal, target.error());
  return print_target(line, terminal, {target->name, target->url, " is ready", true});
}

}  // namespace band::client
