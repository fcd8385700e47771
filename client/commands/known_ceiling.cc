#include "client/commands/known_ceiling.h"

#include "client/commands/server_facts.h"
#include "client/targets/targets.h"
#include "client/transport/daemon.h"

namespace band::client {
namespace {

Result<Rules> ask(const std::string& name, Terminal& terminal) {
  BAND_TRY(const Target target, load_target(name));
  const Progress progress(terminal, "requesting the ceiling of target " + name);
  Daemon daemon(target);
  BAND_CHECK(daemon.prove());
  return server_ceiling(daemon);
}

}  // namespace

Result<KnownCeiling> ask_ceiling(const CommandLine& line, Terminal& terminal) {
  KnownCeiling known;
  if (line.offline && line.target)
    return Error{
        .code = Code::Usage, .doing = "--offline and --target exclude each other", .hint = "leave out one of them"};
  if (line.offline) {
    known.unknown = "--offline was given";
    return known;
  }
  const auto choice = choose_target(line.target);
  if (!choice.ok()) {
    if (line.target) return choice.error();
    known.unknown = choice.error().message();
    return known;
  }
  known.target = choice->name;
  auto rules = ask(choice->name, terminal);
  if (rules.ok())
    known.rules = std::move(rules).value();
  else
    known.unknown = rules.error().message();
  return known;
}

}  // namespace band::client
