// Where executions run: one file for each target, ~/.config/band/targets/NAME.json, with the server's URL and a token.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "schemas/core/result.h"

namespace band::client {

struct Target {
  std::string name, url, token;
  std::string host;  // of the URL
  std::uint16_t port = 0;
};

// `--target`, else $BAND_TARGET, else the one that is set up (`local`, then `local-lima`). Errors (Code::Usage): no
// name of a target; `--target` with nothing behind it, as of a variable that is not set, is none either.
Result<std::string> target_name(const std::optional<std::string>& given);
// The same for `verb`, which changes a machine: `--target` or $BAND_TARGET has to say which, or it is an error, too.
Result<std::string> target_to_change(const std::optional<std::string>& given, const std::string& verb);
// Errors: Code::ServerUnreachable when it is not set up, Code::Unauthorized when its file is not fit to be used.
Result<Target> load_target(const std::string& name);
Status save_target(const Target& target);
Status remove_target(const std::string& name);  // fine when there is none; takes empty directories along
std::string target_file(const std::string& name);

// What `band token add` printed, the content of a target's file, or a token alone (port 7433). Errors say nothing of
// what was given: most of it is a secret.
Result<Target> handed_over(const std::string& name, std::string text);

// http://HOST:PORT of this machine only: a token never travels in clear text over a network.
Status parse_url(const std::string& url, Target& target);

}  // namespace band::client
