#include "client/targets/targets.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "client/host/environment.h"
#include "client/terminal/nearest.h"
#include "schemas/core/json.h"
#include "schemas/wire/names.h"
#include "schemas/wire/wire.h"

namespace band::client {
namespace {

constexpr std::size_t kMaxTargetBytes = 64u << 10;
constexpr std::string_view kSocket = "unix:";
const char* const kUseFile = "target";  // in config_directory(): the name set with `band target use`

std::string directory() { return config_directory() + "/targets"; }

// Prefers local-lima, then local, then the only other target.
Result<Choice> choose_of(const std::vector<std::string>& set_up) {
  for (const std::string_view known : {kLima, kLocal})
    if (std::find(set_up.begin(), set_up.end(), known) != set_up.end())
      return Choice{std::string(known), ChosenBy::Setup};
  if (set_up.size() == 1) return Choice{set_up.front(), ChosenBy::Setup};
  if (set_up.empty()) return Choice{std::string(kLima), ChosenBy::Nothing};
  std::string names;
  for (const std::string& name : set_up) names += (names.empty() ? "" : ", ") + name;
  return Error{.code = Code::Usage,
               .doing = "there are several targets (" + names + "), and none of them is chosen",
               .hint = "--target NAME, or permanently: band target use NAME"};
}

}  // namespace

std::string_view kind_of(const std::string& target) {
  return target == kLima ? kLima : target == kLocal ? kLocal : kRemote;
}

std::string_view chosen_by_text(ChosenBy by) {
  switch (by) {
    case ChosenBy::Flag:
      return "--target";
    case ChosenBy::Variable:
      return "$BAND_TARGET";
    case ChosenBy::Use:
      return "`band target use`";
    case ChosenBy::Setup:
      return "it is set up";
    case ChosenBy::Nothing:
      return "nothing is set up";
  }
  return "";
}

std::string target_file(const std::string& name) { return directory() + "/" + name + ".json"; }

std::vector<std::string> targets_set_up() {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator it(directory(), error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().stem().string();
    if (it->path().extension() == ".json" && check_target_name(name).ok()) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Status check_target_name(const std::string& name) {
  if (is_script_name("x/" + name)) return done();
  return Error{.code = Code::Usage,
               .doing = "\"" + name + "\" is not a target's name",
               .hint = std::string("for example: --target local; a name is ") + kNameRule};
}

Result<std::optional<std::string>> used_target() {
  const std::string file = config_directory() + "/" + kUseFile;
  if (::access(file.c_str(), F_OK) != 0) return std::optional<std::string>();
  BAND_TRY(std::string name, read_private_file(file, 256, Code::Usage));
  while (name.ends_with('\n')) name.pop_back();
  if (const Status good = check_target_name(name); !good.ok())
    return Error{
        .code = Code::Usage, .doing = file + ": " + good.error().doing, .hint = "write it again: band target use NAME"};
  return std::optional(name);
}

Status use_target(const std::string& name) {
  const std::string file = config_directory() + "/" + kUseFile;
  if (!name.empty()) return write_private_file(config_directory(), kUseFile, name + "\n");
  if (::unlink(file.c_str()) == 0 || errno == ENOENT) return done();
  return Error{.code = Code::Usage, .doing = "cannot remove " + file, .err = errno, .hint = "remove it by hand"};
}

Result<Choice> choose_target(const std::optional<std::string>& given) {
  if (given) {
    BAND_CHECK(check_target_name(*given));
    return Choice{*given, ChosenBy::Flag};
  }
  if (const std::string name = environment("BAND_TARGET").value_or(""); !name.empty()) {
    BAND_CHECK(check_target_name(name));
    return Choice{name, ChosenBy::Variable};
  }
  BAND_TRY(const auto used, used_target());
  if (used) return Choice{*used, ChosenBy::Use};
  return choose_of(targets_set_up());
}

Result<std::string> target_name(const std::optional<std::string>& given) {
  BAND_TRY(Choice choice, choose_target(given));
  return std::move(choice.name);
}

Result<std::string> target_to_set_up(const std::optional<std::string>& given) {
  if (given || !environment("BAND_TARGET").value_or("").empty()) return target_name(given);
  return std::string(kLima);
}

Result<std::string> target_to_tear_down(const std::optional<std::string>& given) {
  if (given.value_or(environment("BAND_TARGET").value_or("")).empty())
    return Error{.code = Code::Usage,
                 .doing = "`band teardown` needs the name of a target",
                 .hint =
                     "`band teardown --target local-lima` removes the virtual machine, `band teardown --target local` "
                     "removes this "
                     "machine's own server; `band teardown --help` lists everything that is removed"};
  return target_name(given);
}

Status parse_url(const std::string& url, Target& target) {
  const auto wrong = [&](std::string what) {
    return Error{.code = Code::Usage,
                 .doing = "the URL " + url + " " + std::move(what),
                 .hint = "a target of this machine is http://127.0.0.1:PORT"};
  };
  if (!url.starts_with("http://")) return wrong("does not begin with http://");
  std::string rest = url.substr(7);
  while (rest.ends_with('/')) rest.pop_back();
  const std::size_t colon = rest.rfind(':');
  const std::string digits = colon == std::string::npos ? "" : rest.substr(colon + 1);
  if (digits.empty() || digits.size() > 5 || digits.find_first_not_of("0123456789") != std::string::npos)
    return wrong("has no port");
  const int port = std::stoi(digits);
  if (port < 1 || port > 65535) return wrong("has a port that is not in 1 to 65535");
  const std::string host = rest.substr(0, colon);
  if (host != "127.0.0.1" && host != "localhost" && host != "[::1]")
    return wrong("is not on this machine; a token would be sent in clear text");
  target.url = url;
  target.host = host == "[::1]" ? "::1" : "127.0.0.1";  // the address: no name lookup is needed
  target.port = static_cast<std::uint16_t>(port);
  if (target.server_port == 0) target.server_port = target.port;
  return done();
}

Result<Target> handed_over(const std::string& name, std::string text) {
  const Error nothing{.code = Code::InputInvalid,
                      .doing = "standard input contains no token",
                      .hint = "enter the line that `band token add NAME` printed on the server's machine"};
  while (!text.empty() && std::string_view(" \t\r\n").find(text.back()) != std::string_view::npos) text.pop_back();
  text.erase(0, std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  Target target;
  target.name = name;
  std::string url = "http://127.0.0.1:" + std::to_string(kDefaultPort);
  if (text.starts_with('{')) {
    const auto json = parse_json(text, "standard input");
    if (!json.ok() || !json->contains("token") || !(*json)["token"].is_string()) return nothing;
    target.token = (*json)["token"].get<std::string>();
    if (json->contains("url") && (*json)["url"].is_string()) url = (*json)["url"].get<std::string>();
  } else {
    target.token = text;
  }
  if (!split_token(target.token)) return nothing;
  BAND_CHECK(parse_url(url, target));
  return target;
}

// Returns the command that creates the target's file.
std::string way_to_make(const Target& target) {
  if (target.by_login)
    return "ask the operator of the server for a new token (`band token add NAME` there), and give it to `band login "
           "--target " +
           target.name + "`";
  if (!target.ssh.empty()) return "band target add " + target.name + " ssh://" + target.ssh;
  if (kind_of(target.name) == kLima) return "band setup";
  return (kind_of(target.name) == kLocal ? "sudo band setup --target " : "band login --target ") + target.name;
}

std::string way_to_start(const Target& target) {
  if (target.by_login) return "ask the operator of the server to start it (`band-server start` there)";
  return target.ssh.empty() && kind_of(target.name) != kRemote
             ? "start it with `" + way_to_make(target) + "`"
             : "start it on its machine with `sudo band-server start`";
}

std::string way_to_update(const Target& target) {
  if (target.by_login) return "ask the operator of the server to install this version of band there";
  const std::string local = "`sudo band setup --target local`";
  if (kind_of(target.name) == kLima) return "`band setup` updates the server";
  if (kind_of(target.name) == kLocal) return local + " updates the server (in a clone: `tools/quickstart`)";
  if (!target.ssh.empty())
    return "install this version of band on " + target.ssh + "; there, " + local + " updates the server";
  return "the server's operator can update it with " + local + " of this version";
}

// In a root shell started by sudo, setup creates the target of the invoking user, not of root.
std::string of_sudo_caller() {
  const char* user = ::geteuid() == 0 ? ::getenv("SUDO_USER") : nullptr;
  if (user == nullptr || std::string_view(user) == "root") return "";
  return "with sudo, `band setup` stores the target for user " + std::string(user) +
         ": run this command as that user, or unset SUDO_USER, SUDO_UID and SUDO_GID for a target of root; ";
}

Result<Target> load_target(const std::string& name) {
  const std::string file = target_file(name);
  if (::access(file.c_str(), F_OK) != 0) {
    const auto others = targets_set_up();
    std::string how =
        "`band setup` creates a virtual machine for band; `sudo band setup --target local` sets up a server on this "
        "machine, which must run Linux; `band login` uses a server of this machine with a token from its operator; "
        "`band target add` uses a server on another machine";
    return Error{.code = Code::ServerUnreachable,
                 .doing = (others.empty() ? "no target is set up (" : "target " + name + " is not set up (") +
                          "there is no " + file + ")",
                 .hint = of_sudo_caller() + did_you_mean(name, others, "--target ", std::move(how))};
  }
  BAND_TRY(const std::string text, read_private_file(file, kMaxTargetBytes, Code::Unauthorized));
  const auto value = parse_json(text, file);
  const auto text_of = [&](const char* key) -> std::string {
    if (!value.ok() || !value->is_object() || !value->contains(key) || !(*value)[key].is_string()) return "";
    return (*value)[key].get<std::string>();
  };
  Target target;
  target.name = name;
  target.token = text_of("token");
  target.vm = text_of("vm");
  target.ssh = text_of("ssh");
  target.source = text_of("source");
  target.token_name = text_of("tokenName");
  target.by_login = text_of("by") == "login";
  if (value.ok() && value->is_object() && value->contains("serverPort") && (*value)["serverPort"].is_number_unsigned())
    target.server_port =
        static_cast<std::uint16_t>(std::min<std::uint64_t>((*value)["serverPort"].get<std::uint64_t>(), 65535));
  const std::string url = text_of("url");
  const bool socket = url.starts_with(kSocket) && !target.ssh.empty();
  if (url.empty() || !split_token(target.token) || (socket && target.server_port == 0))
    return Error{
        .code = Code::Unauthorized, .doing = file + " does not contain a URL and a token", .hint = way_to_make(target)};
  if (!socket) {
    BAND_CHECK(parse_url(url, target));
    return target;
  }
  target.url = url;
  target.host = url.substr(kSocket.size());
  return target;
}

Status save_target(const Target& target) {
  Json value = {{"url", target.url}, {"token", target.token}};
  if (target.server_port != 0 && target.server_port != target.port) value["serverPort"] = target.server_port;
  if (!target.vm.empty()) value["vm"] = target.vm;
  if (!target.token_name.empty()) value["tokenName"] = target.token_name;
  if (!target.source.empty()) value["source"] = target.source;
  if (!target.ssh.empty()) value["ssh"] = target.ssh;
  if (target.by_login) value["by"] = "login";
  return write_private_file(directory(), target.name + ".json", dump_json_pretty(value) + "\n");
}

Status remove_target(const std::string& name) {
  if (::unlink(target_file(name).c_str()) != 0 && errno != ENOENT)
    return Error{
        .code = Code::Usage, .doing = "cannot remove " + target_file(name), .err = errno, .hint = "remove it by hand"};
  BAND_TRY(const auto used, used_target());
  if (used == name) BAND_CHECK(use_target(""));
  // Removes the directories that save_target() created, if they are empty.
  if (::rmdir(directory().c_str()) == 0) ::rmdir(config_directory().c_str());
  return done();
}

}  // namespace band::client
