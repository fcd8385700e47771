#include "client/commands/server_program.h"

#include <unistd.h>

#include "client/host/spawn.h"
#include "schemas/core/json.h"

namespace band::client {

const char* said_above() {
  return ::geteuid() == 0 ? "what it said is above" : "what it said is above; it needs root: sudo band ...";
}

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  text.erase(0, text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
  return text;
}

Result<Json> last_json(const std::string& text, const std::string& what) {
  auto json = parse_json(last_line(text), "output of `" + what + "`");
  if (json.ok() && json->is_object()) return json;
  return Error{.code = Code::Internal,
               .doing = "`" + what + "` did not print a JSON object",
               .hint = "are band and band-server of the same version?"};
}

Result<Json> ask_server_program(const std::vector<std::string>& arguments) {
  BAND_TRY(const std::string program, sibling_program("band-server"));
  BAND_TRY(const Finished finished, run_program(program, arguments, true));
  const std::string what = "band-server " + arguments.front();
  if (finished.exit_status != 0)
    return Error{.code = Code::SandboxUnavailable,
                 .doing = "`" + what + "` failed with status " + std::to_string(finished.exit_status),
                 .hint = said_above()};
  return last_json(finished.out, what);
}

void revoke_quietly(const std::string& name) {
  const auto program = sibling_program("band-server");
  if (program.ok()) (void)run_program(*program, {"token", "revoke", name}, true, true);
}

Result<std::string> string_member(const Json& object, const char* name) {
  if (object.contains(name) && object[name].is_string()) return object[name].get<std::string>();
  return Error{.code = Code::Internal,
               .doing = std::string("band-server did not say its ") + name,
               .hint = "are band and band-server of the same version?"};
}

}  // namespace band::client
