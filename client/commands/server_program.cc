#include "client/commands/server_program.h"

#include <unistd.h>

#include "client/host/spawn.h"
#include "schemas/core/json.h"

namespace band::client {

const char* said_above() {
  return ::geteuid() == 0 ? "the messages of band-server are above"
                          : "the messages of band-server are above; this command needs root: sudo band ...";
}

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  text.erase(0, text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
  return text;
}

Result<Announced> announced(const std::string& text, const std::string& what) {
  const auto json = parse_json(last_line(text), "output of `" + what + "`");
  if (!json.ok() || !json->is_object())
    return Error{.code = Code::Internal,
                 .doing = "`" + what + "` did not print a JSON object",
                 .hint = "install band and band-server of the same version"};
  const auto member = [&](const char* name) {
    return json->contains(name) && (*json)[name].is_string() ? (*json)[name].get<std::string>() : std::string();
  };
  return Announced{member("url"), member("token")};
}

Result<Announced> ask_server_program(const std::vector<std::string>& arguments) {
  BAND_TRY(const std::string program, sibling_program("band-server"));
  BAND_TRY(const Finished finished, run_program(program, arguments, true));
  const std::string what = "band-server " + arguments.front();
  if (finished.exit_status != 0)
    return Error{.code = Code::SandboxUnavailable,
                 .doing = "`" + what + "` failed with status " + std::to_string(finished.exit_status),
                 .hint = said_above()};
  return announced(finished.out, what);
}

void revoke_quietly(const std::string& name) {
  const auto program = sibling_program("band-server");
  if (program.ok()) (void)run_program(*program, {"token", "revoke", name}, true, true);
}

}  // namespace band::client
