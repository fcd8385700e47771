// Where executions run: one file for each target, ~/.config/band/targets/NAME.json, with the server's URL and a token;
// and which of them a command means.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/result.h"

namespace band::client {

// What a target's name says about it. A BAND.md names kinds, in `execution.targets`.
inline constexpr std::string_view kLima = "local-lima", kLocal = "local", kRemote = "remote";

struct Target {
  std::string name, url, token;
  std::string host;               // of the URL: an address of this machine, or a Unix socket's path (unix:PATH)
  std::uint16_t port = 0;         // of the URL; 0: a Unix socket
  std::uint16_t server_port = 0;  // on which the server listens: another one than `port` behind a forwarded port
  std::string vm;                 // the instance of Lima that the server runs in; "": none
  std::string source;             // the digest of the source that this server was installed of; "": not known
  std::string token_name;         // of the token over there, when `target add` has made it; "": somebody else did
  std::string ssh;                // [USER@]HOST[:PORT] of the machine that the server runs on; "": this one
};

// local-lima and local are their own kinds; a target of any other name is remote.
std::string_view kind_of(const std::string& target);

enum class ChosenBy { Flag, Variable, Use, Setup, Nothing };
struct Choice {
  std::string name;
  ChosenBy by = ChosenBy::Nothing;
};
// The target that a command means: --target; else $BAND_TARGET; else what `band target use` has named; else what has
// been set up: local-lima, else local, else the only other one. Nothing has been set up: local-lima, ChosenBy::Nothing;
// load_target() says how. Errors (Code::Usage): the word is not a target's name, `--target` with an empty word (as of a
// variable that is not set) included; several targets, and none of them is meant more than the others.
Result<Choice> choose_target(const std::optional<std::string>& given);
// "--target", "$BAND_TARGET", "`band target use`", "it is set up", "nothing is set up".
std::string_view chosen_by_text(ChosenBy by);

// The name alone.
Result<std::string> target_name(const std::optional<std::string>& given);
// Of the commands that change a machine. `band setup`: --target, else $BAND_TARGET, else local-lima. `band teardown`:
// one of the two has to say which.
Result<std::string> target_to_set_up(const std::optional<std::string>& given);
Result<std::string> target_to_tear_down(const std::optional<std::string>& given);
Status check_target_name(const std::string& name);  // Code::Usage

// Errors: Code::ServerUnreachable when it is not set up, Code::Unauthorized when its file is not fit to be used.
Result<Target> load_target(const std::string& name);
Status save_target(const Target& target);
Status remove_target(const std::string& name);  // fine when there is none; takes empty directories along
std::string target_file(const std::string& name);
std::string way_to_make(const Target& target);  // the command that makes its file anew
std::vector<std::string> targets_set_up();      // their names, sorted

// What `band target use` has named; nullopt: nothing. An empty `name` takes it back.
Result<std::optional<std::string>> used_target();
Status use_target(const std::string& name);

// What `band token add` printed, the content of a target's file, or a token alone (port 7433). Errors say nothing of
// what was given: most of it is a secret.
Result<Target> handed_over(const std::string& name, std::string text);

// http://HOST:PORT of this machine only: a token never travels in clear text over a network.
Status parse_url(const std::string& url, Target& target);

}  // namespace band::client
