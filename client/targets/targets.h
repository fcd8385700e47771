// Targets. A target names a server that runs executions; its file, ~/.config/band/targets/NAME.json, contains the
// server's URL and a token. Also chooses the target that a command uses.
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
  std::string host;               // from the URL: an address of this machine; for unix:PATH the path of the socket
  std::uint16_t port = 0;         // from the URL; 0 for a Unix socket
  std::uint16_t server_port = 0;  // the port on which the server listens; differs from `port` if `port` is forwarded
  std::string vm;                 // the Lima instance in which the server runs; "": none
  std::string source;             // the digest of the source from which the server was installed; "": unknown
  std::string token_name;         // the token's name on the server, if `band target add` created the token; else ""
  std::string ssh;                // [USER@]HOST[:PORT] of the server's machine; "": this machine
  bool by_login = false;          // `band login` has created it: another user is the server's operator
};

// Returns the kind of the target with this name: kLima for the name local-lima, kLocal for the name local, kRemote for
// every other name.
std::string_view kind_of(const std::string& target);

// The setting that has chosen a target; chosen_by_text() describes each value.
enum class ChosenBy { Flag, Variable, Use, Setup, Nothing };
struct Choice {
  std::string name;
  ChosenBy by = ChosenBy::Nothing;
};
// Returns the target that a command uses. `given`: the value of --target. The target is the first of: --target;
// $BAND_TARGET; the target set with `band target use`; local-lima if it is set up; local if it is set up; the only
// target that is set up. If no target is set up, returns local-lima with ChosenBy::Nothing; the error of load_target()
// then describes how to set one up. A target that --target, $BAND_TARGET or `band target use` names need not be set up.
// Errors (Code::Usage): the name is invalid (also an empty --target, as from an unset variable); several targets are
// set up, but neither local-lima nor local, and nothing else chooses one.
Result<Choice> choose_target(const std::optional<std::string>& given);
// "--target", "$BAND_TARGET", "`band target use`", "it is set up", "nothing is set up".
std::string_view chosen_by_text(ChosenBy by);

// Returns only Choice::name of choose_target().
Result<std::string> target_name(const std::optional<std::string>& given);
// The targets of commands that change a machine. `band setup` uses --target, else $BAND_TARGET, else local-lima. `band
// teardown` uses --target, else $BAND_TARGET, else returns an error.
Result<std::string> target_to_set_up(const std::optional<std::string>& given);
Result<std::string> target_to_tear_down(const std::optional<std::string>& given);
Status check_target_name(const std::string& name);  // Code::Usage

// Errors: Code::ServerUnreachable when the target is not set up, Code::Unauthorized when its file has no URL or no
// token, or cannot be read by read_private_file() (client/host/environment.h), Code::Usage when the URL is invalid
// (parse_url()).
Result<Target> load_target(const std::string& name);
Status save_target(const Target& target);
// Removes the target's file, and the setting of `band target use` if it names this target. Also removes the directories
// of the files if they are empty. Succeeds also if the target is not set up.
Status remove_target(const std::string& name);
std::string target_file(const std::string& name);
// What creates the target's file again: a command, or a sentence about the server's operator. For the target of `band
// login`, neither this function nor the following two name a command that only root can run as one for the reader.
std::string way_to_make(const Target& target);
std::string way_to_start(const Target& target);  // what starts the server, for a hint
// How to replace the target's server by the one of this build, for a hint.
std::string way_to_update(const Target& target);
std::vector<std::string> targets_set_up();  // their names, sorted

// used_target() returns the target set with `band target use`; nullopt: none is set. use_target() sets it; an empty
// `name` removes the setting.
Result<std::optional<std::string>> used_target();
Status use_target(const std::string& name);

// Parses the output of `band token add`, the content of a target's file, or a token alone, and returns a target with
// the name `name`. For a token alone, the port is 7433. Errors: Code::InputInvalid when `text` contains no token,
// Code::Usage when its URL is invalid (parse_url()). The errors do not quote the token.
Result<Target> handed_over(const std::string& name, std::string text);

// Sets url, host and port of `target` from a URL, and sets server_port to the same port if it is 0. Accepts only
// http://HOST:PORT on this machine, so that a token is never sent over a network in clear text. Error: Code::Usage.
Status parse_url(const std::string& url, Target& target);

}  // namespace band::client
