#include "client/transport/targets.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "client/host/environment.h"
#include "client/terminal/nearest.h"
#include "schemas/core/json.h"
#include "schemas/wire/wire.h"

namespace band::client {
namespace {

constexpr std::size_t kMaxTargetBytes = 64u << 10;

std::string directory() { return config_directory() + "/targets"; }

bool is_target_name(const std::string& name) { return is_script_name("x/" + name); }

std::vector<std::string> targets_set_up() {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator it(directory(), error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".json") names.push_back(it->path().stem().string());
  return names;
}

}  // namespace

std::string target_file(const std::string& name) { return directory() + "/" + name + ".json"; }

Result<std::string> target_name(const std::optional<std::string>& given) {
  std::string name = given.value_or(environment("BAND_TARGET").value_or(""));
  if (name.empty() && !given)
    for (const char* known : {"local", "local-lima"})
      if (name.empty() && ::access(target_file(known).c_str(), F_OK) == 0) name = known;
  if (name.empty() && !given) name = "local";  // load_target says how to set it up
  if (!is_target_name(name))
    return Error{
        .code = Code::Usage, .doing = "\"" + name + "\" is not a target's name", .hint = "for example: --target local"};
  return name;
}

Result<std::string> target_to_change(const std::optional<std::string>& given, const std::string& verb) {
  if (given.value_or(environment("BAND_TARGET").value_or("")).empty())
    return Error{.code = Code::Usage,
                 .doing = "`band " + verb + "` does not say which target",
                 .hint = "band " + verb + " --target local is this machine's own server, as root; `band " + verb +
                         " --help` says what it does"};
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
  if (port < 1 || port > 65535) return wrong("has a port that does not exist");
  const std::string host = rest.substr(0, colon);
  if (host != "127.0.0.1" && host != "localhost" && host != "[::1]")
    return wrong("is not on this machine; a token would travel in clear text");
  target.url = url;
  target.host = host == "[::1]" ? "::1" : "127.0.0.1";  // the address itself: no resolver has a say
  target.port = static_cast<std::uint16_t>(port);
  return done();
}

Result<Target> handed_over(const std::string& name, std::string text) {
  const Error nothing{.code = Code::InputInvalid,
                      .doing = "standard input holds no token",
                      .hint = "give it the line that `band token add NAME` printed on the server's machine"};
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

// In a root shell that came from sudo the target is that user's: setup made it for them.
std::string of_sudo_caller() {
  const char* user = ::geteuid() == 0 ? ::getenv("SUDO_USER") : nullptr;
  if (user == nullptr || std::string_view(user) == "root") return "";
  return "after sudo, setup makes the target of " + std::string(user) +
         ": run as that user, or unset SUDO_USER, SUDO_UID and SUDO_GID for one of root's own; ";
}

Result<Target> load_target(const std::string& name) {
  const std::string file = target_file(name);
  if (::access(file.c_str(), F_OK) != 0)
    return Error{
        .code = Code::ServerUnreachable,
        .doing = "target " + name + " is not set up (there is no " + file + ")",
        .hint = of_sudo_caller() +
                did_you_mean(name, targets_set_up(), "--target ",
                             "`sudo band setup --target local` sets up a server on this machine; with a token of "
                             "its operator: `band login`")};
  BAND_TRY(const std::string text, read_private_file(file, kMaxTargetBytes, Code::Unauthorized));
  const auto value = parse_json(text, file);
  const auto text_of = [&](const char* key) -> std::string {
    if (!value.ok() || !value->is_object() || !value->contains(key) || !(*value)[key].is_string()) return "";
    return (*value)[key].get<std::string>();
  };
  Target target{name, text_of("url"), text_of("token"), "", 0};
  if (target.url.empty() || !split_token(target.token))
    return Error{.code = Code::Unauthorized,
                 .doing = file + " does not hold a URL and a token",
                 .hint = "band setup --target " + name};
  BAND_CHECK(parse_url(target.url, target));
  return target;
}

Status save_target(const Target& target) {
  const Json value = {{"url", target.url}, {"token", target.token}};
  return write_private_file(directory(), target.name + ".json", dump_json_pretty(value) + "\n");
}

Status remove_target(const std::string& name) {
  if (::unlink(target_file(name).c_str()) != 0 && errno != ENOENT)
    return Error{
        .code = Code::Usage, .doing = "remove " + target_file(name), .err = errno, .hint = "remove it by hand"};
  // What save_target made, when nothing else is in it.
  if (::rmdir(directory().c_str()) == 0) ::rmdir(config_directory().c_str());
  return done();
}

}  // namespace band::client
