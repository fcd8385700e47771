// `band cancel`: ends an execution of the same token.
#include "client/commands/commands.h"
#include "client/commands/connect.h"
#include "client/targets/targets.h"
#include "schemas/core/hex.h"
#include "schemas/core/json_text.h"
#include "schemas/core/usage.h"

namespace band::client {
namespace {

// The id has the form of schemas/openapi.yaml. It becomes a part of the request's path.
constexpr std::size_t kIdDigits = 16;

Status cancel(const CommandLine& line, const std::string& id, Terminal& terminal) {
  if (!is_hex(id, kIdDigits))
    return usage("`" + printable_line(id) + "` is not the id of an execution", "`band status` shows the ids");
  BAND_TRY(const std::string name, target_name(line.target));
  BAND_TRY(const Target target, load_target(name));
  Connection connection;
  BAND_CHECK(connection.open(target, terminal));
  Status ended = connection.daemon().cancel(id);
  if (!ended.ok() && ended.error().code == Code::BadRequest)
    ended.error().hint = "`band status` shows the executions of your token";
  return ended;
}

}  // namespace

int cancel_command(const CommandLine& line, Terminal& terminal) {
  if (line.arguments.empty())
    return fail(line, terminal, usage("`band cancel` needs the id of an execution", "`band status` shows the ids"));
  const std::string& id = line.arguments.front();
  if (const Status ended = cancel(line, id, terminal); !ended.ok()) return fail(line, terminal, ended.error());
  if (line.json) return print_json_text(terminal, json_object({{"id", json_string(id)}}));
  terminal.note("the server ends the execution " + id);
  return 0;
}

}  // namespace band::client
