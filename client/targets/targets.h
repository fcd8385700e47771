// Targets, where executions run: one file for each, ~/.config/band/targets/NAME.json, with the server's URL and a
// token; and the choice of the target of a command.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/result.h"

namespace band::client {

// The kinds of targets. A BAND.md lists kinds in `execution.targets`.
inline constexpr std::string_view kLima = "local-lima", kLocal = "local", kRemote = "remote";

struct Target {
  std::string name, url, token;
  std::string host;               // from the URL: an address of this machine, or the path of a Unix socket (unix:PATH)
  std::uint16_t port = 0;         // from the URL; 0 for a Unix socket
  std::uint16_t server_port = 0;  // where the server listens; differs from `port` if that is a forwarded port
  std::string vm;                 // the Lima instance in which the server runs; "": none
  std::string source;             // the digest of the source from which the server was installed; "": unknown
  std::string token_name;  // the token's name on the server if `target add` has created it; "": created otherwise
  std::string ssh;         // [USER@]HOST[:PORT] of the server's machine; "": this machine
};

// Returns the kind: local-lima and local are their own kinds; any other name is remote.
std::string_view kind_of(const std::string& target);

enum class ChosenBy { Flag, Variable, Use, Setup, Nothing };
struct Choice {
  std::string name;
  ChosenBy by = ChosenBy::Nothing;
};
// Returns the target of a command, the first of: --target; $BAND_TARGET; the one set with `band target use`; local-lima
// if it is set up; local if it is set up; the only target that is set up. If none is set up: local-lima with
// ChosenBy::Nothing; load_target() then describes how to set one up. Errors (Code::Usage): an invalid name, including
// an empty --target (as from an unset variable); several targets are set up and none is preferred.
Result<Choice> choose_target(const std::optional<std::string>& given);
// "--target", "$BAND_TARGET", "`band target use`", "it is set up", "nothing is set up".
std::string_view chosen_by_text(ChosenBy by);

// As choose_target(), without the reason.
Result<std::string> target_name(const std::optional<std::string>& given);
// The targets of commands that change a machine. `band setup`: --target, else $BAND_TARGET, else local-lima. `band
// teardown` requires one of the first two.
Result<std::string> target_to_set_up(const std::optional<std::string>& given);
Result<std::string> target_to_tear_down(const std::optional<std::string>& given);
Status check_target_name(const std::string& name);  // Code::Usage

// Errors: Code::ServerUnreachable when it is not set up, Code::Unauthorized when its file is invalid.
Result<Target> load_target(const std::string& name);
Status save_target(const Target& target);
Status remove_target(const std::string& name);  // also succeeds if there is none; removes empty directories
std::string target_file(const std::string& name);
std::string way_to_make(const Target& target);  // the command that creates its file again
std::vector<std::string> targets_set_up();      // their names, sorted

// The target set with `band target use`; nullopt: none. An empty `name` removes the setting.
Result<std::optional<std::string>> used_target();
Status use_target(const std::string& name);

// Parses the output of `band token add`, the content of a target's file, or a token alone (port 7433). Errors do not
// quote the input, because most of it is secret.
Result<Target> handed_over(const std::string& name, std::string text);

// Accepts only http://HOST:PORT on this machine, so that a token is never sent over a network in clear text.
Status parse_url(const std::string& url, Target& target);

}  // namespace band::client
