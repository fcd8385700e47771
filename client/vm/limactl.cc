#include "client/vm/limactl.h"

#include <unistd.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <thread>

#include "client/host/environment.h"
#include "client/host/follow.h"
#include "client/host/spawn.h"
#include "client/platform/server.h"
#include "schemas/core/json.h"
#include "schemas/core/lines.h"
#include "schemas/wire/wire.h"

namespace band::client::vm {
namespace {

constexpr std::size_t kMostOut = 1u << 20;
constexpr std::size_t kMostDirectory = 77;  // bytes of HOME/.band/lima/NAME on macOS; Linux has four more
constexpr std::size_t kErrors = 3;          // maximum number of kept records
constexpr int kStartMs = 20 * 60'000, kStopMs = 8 * 60'000;
constexpr std::size_t kLogTail = 1500;

// A record of `--log-format json`. For other text, such as output of the guest: the unchanged line.
struct Record {
  std::string level, text;
};

Record record_of(const std::string& line) {
  const auto json = line.starts_with('{') ? parse_json(line, "limactl") : Result<Json>(Error{.doing = "no record"});
  if (!json.ok() || !json->is_object()) return {"", line};
  const auto text = [&](const char* key) {
    return json->contains(key) && (*json)[key].is_string() ? (*json)[key].get<std::string>() : std::string();
  };
  return {text("level"), text("msg")};
}

State state_of(const std::string& status) {
  if (status == "Running") return State::Running;
  if (status == "Stopped") return State::Stopped;
  return State::Broken;
}

std::string text_of(const Json& object, const char* key) {
  return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : "";
}

// Members of an unexpected type count as absent.
int number_of(const Json& object, const char* key) {
  return object.contains(key) && object[key].is_number_integer() ? object[key].get<int>() : 0;
}
bool is_true(const Json& object, const char* key) { return object.contains(key) && object[key] == Json(true); }

// Reads only the end: the guest writes its console's log, of any size.
std::string tail_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  if (!stream) return "";
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(stream.tellg(), 0));
  std::string text(std::min(size, kLogTail), '\0');
  stream.seekg(static_cast<std::streamoff>(size - text.size()));
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

}  // namespace

std::string Limactl::home() { return state_directory() + "/lima"; }

Result<Limactl> Limactl::find(const std::string& name) {
  if (::geteuid() == 0)
    return Error{.code = Code::Usage,
                 .doing = "limactl does not run as root",
                 .hint = std::string("run `band setup` as the user of the agents, without sudo") +
                         (kServerRunsHere ? "; `band setup --target local` sets up this machine itself" : "")};
  const std::string program = find_program("limactl");
  if (program.empty())
    return Error{
        .code = Code::NoVmSoftware,
        .doing = "there is no limactl in $PATH, and band's virtual machine needs Lima",
        .hint = std::string("install Lima 2: `brew install lima`, or https://lima-vm.io/docs/installation") +
                (kServerRunsHere ? "; on Linux `sudo band setup --target local` needs no virtual machine" : "")};
  const std::string directory = home() + "/" + name;
  if (directory.size() > kMostDirectory)
    return Error{.code = Code::Usage,
                 .doing = directory + " is longer than " + std::to_string(kMostDirectory) +
                          " bytes, too long for the sockets that Lima makes there",
                 .hint = "give the machine a shorter --name"};
  BAND_CHECK(make_private_directory(home()));
  return Limactl(program, name);
}

Status Limactl::check_version() const {
  BAND_TRY(const Finished version, run_program(program_, {"--version"}, true));
  if (version.exit_status == 0 && is_new_enough(version.out)) return done();
  return Error{.code = Code::NoVmSoftware,
               .doing = program_ + " is not Lima 2.0 or newer (" + std::string(first_line(version.out)) + ")",
               .hint = "install a current Lima: https://lima-vm.io/docs/installation"};
}

Result<Limactl::Called> Limactl::call(std::vector<std::string> words, const Say& say, int ms) const {
  words.insert(words.begin() + 1, {"--tty=false", "--log-format", "json"});
  Called called;
  std::deque<std::string> errors, others;
  Following following;
  following.arguments = std::move(words);
  following.variables = {{"LIMA_HOME", home()}};
  following.ms = ms;
  following.out = [&](const std::string& line) {
    if (called.out.size() + line.size() < kMostOut) called.out += line + "\n";
    if (say) say(line);
  };
  following.err = [&](const std::string& line) {
    Record record = record_of(line);
    if (record.text.empty()) return;
    const bool wrong = record.level == "error" || record.level == "fatal";
    std::deque<std::string>& kept = wrong ? errors : others;
    kept.push_back(record.text);
    if (kept.size() > kErrors) kept.pop_front();
    if (say && !record.level.empty()) say(record.text);
  };
  BAND_TRY(called.status, follow_program(program_, following));
  for (const std::string& text : errors.empty() ? others : errors)
    called.error += (called.error.empty() ? "" : "; ") + text;
  return called;
}

Status Limactl::act(const std::vector<std::string>& words, const Say& say, int ms) const {
  BAND_TRY(const Called called, call(words, say, ms));
  if (called.status == 0) return done();
  return Error{.code = Code::SandboxUnavailable,
               .doing = "`limactl " + words.front() + "` failed with status " + std::to_string(called.status) + ": " +
                        called.error};
}

Result<Instance> Limactl::look() const {
  BAND_TRY(const Called called, call({"list", "--json"}, {}, kShortMs));
  if (called.status != 0)
    return Error{.code = Code::SandboxUnavailable, .doing = "`limactl list` failed: " + called.error};
  return instance_of(called.out, name_);
}

Status Limactl::create(const std::string& lima_yaml, const std::vector<std::string>& flags, const Say& say) const {
  std::vector<std::string> words = {"create", "--name", name_};
  words.insert(words.end(), flags.begin(), flags.end());
  words.push_back(lima_yaml);
  return act(words, say, 0);  // no timeout: it downloads 300 MB
}

Status Limactl::start(const std::vector<std::string>& flags, const Say& say) const {
  std::vector<std::string> words = {"start", "--timeout", "15m"};
  words.insert(words.end(), flags.begin(), flags.end());
  words.push_back(name_);
  return act(words, say, kStartMs);
}

Status Limactl::stop(bool by_force, const Say& say) const {
  if (by_force) return act({"stop", "-f", name_}, say, kStopMs);
  return act({"stop", name_}, say, kStopMs);
}

Status Limactl::remove() const { return act({"delete", "-f", name_}, {}, kStopMs); }

Result<Limactl::Ran> Limactl::shell(const std::vector<std::string>& words, const Say& say, const std::vector<int>& fine,
                                    int ms) const {
  std::vector<std::string> all = {"shell", "--workdir", "/", name_, "--"};
  all.insert(all.end(), words.begin(), words.end());
  BAND_TRY(const Called called, call(all, say, ms));
  if (std::find(fine.begin(), fine.end(), called.status) != fine.end()) return Ran{called.status, called.out};
  return Error{.code = Code::SandboxUnavailable,
               .doing = "`" + words.front() + (words.size() > 1 ? " " + words[1] : "") +
                        "` in the virtual machine failed with status " + std::to_string(called.status) +
                        (called.error.empty() ? "" : ": " + called.error)};
}

Status Limactl::await_shell(std::chrono::seconds most) const {
  const auto deadline = std::chrono::steady_clock::now() + most;
  for (;;) {
    BAND_TRY(const Called called, call({"shell", "--workdir", "/", name_, "--", "true"}, {}, kShortMs));
    if (called.status == 0) return done();
    if (std::chrono::steady_clock::now() >= deadline)
      return Error{
          .code = Code::SandboxUnavailable,
          .doing = "cannot log in to the virtual machine: " + called.error,
          .hint = "run `band stop`, then `band start`; if the setup has never finished, run `band setup --force`"};
    std::this_thread::sleep_for(std::chrono::seconds(2));
  }
}

Status Limactl::copy(const std::vector<std::string>& files, const std::string& directory) const {
  std::vector<std::string> words = {"copy", "--backend", "scp"};
  words.insert(words.end(), files.begin(), files.end());
  words.push_back(name_ + ":" + directory + "/");
  return act(words, {}, kStopMs);
}

std::string Limactl::logs(const Instance& instance) const {
  std::string text;
  for (const char* log : {"serial.log", "ha.stderr.log"})
    if (const std::string tail = tail_of(instance.directory + "/" + log); !tail.empty())
      text += "--- the end of " + instance.directory + "/" + log + "\n" + tail + (tail.ends_with('\n') ? "" : "\n");
  return text;
}

// ---- pure -----------------------------------------------------------------------------------------------------------

Result<Instance> instance_of(const std::string& lines, const std::string& name) {
  for (const std::string_view line : lines_of(lines)) {
    if (line.empty()) continue;
    BAND_TRY(const Json json, parse_json(line, "what limactl listed"));
    if (!json.is_object() || text_of(json, "name") != name) continue;
    Instance instance;
    instance.state = state_of(text_of(json, "status"));
    instance.directory = text_of(json, "dir");
    if (json.contains("config")) instance.configuration = dump_json(json["config"]);
    return instance;
  }
  return Instance{};
}

bool is_new_enough(const std::string& version_line) {
  constexpr std::string_view kBefore = "limactl version ";
  if (!version_line.starts_with(kBefore)) return false;
  const std::string version = version_line.substr(kBefore.size());
  if (version.empty() || version.front() < '0' || version.front() > '9') return true;  // <unknown>: built by hand
  return std::atoi(version.c_str()) >= 2;
}

std::optional<std::uint16_t> forwarded_port(const std::string& configuration) {
  const auto json = parse_json(configuration, "lima.yaml");
  if (!json.ok() || !json->is_object() || !json->contains("portForwards") || !(*json)["portForwards"].is_array())
    return std::nullopt;
  for (const Json& forward : (*json)["portForwards"])
    if (forward.is_object() && number_of(forward, "guestPort") == kDefaultPort && !is_true(forward, "ignore"))
      if (const int port = number_of(forward, "hostPort"); port > 0 && port < 65536)
        return static_cast<std::uint16_t>(port);
  return std::nullopt;
}

Status check_configuration(const std::string& configuration, std::uint16_t port) {
  const auto wrong = [](const std::string& what) {
    return Error{.code = Code::SandboxUnavailable,
                 .doing = "the virtual machine differs from band's template: " + what,
                 .hint = "run `band setup --force` to create it again"};
  };
  BAND_TRY(const Json json, parse_json(configuration, "lima.yaml"));
  const auto list = [&](const char* key) {
    return json.is_object() && json.contains(key) && json[key].is_array() ? json[key] : Json(Json::array());
  };
  if (!json.is_object() || !json.contains("plain") || json["plain"] != Json(true))
    return wrong("its setting `plain` is not true, so Lima's agent runs in it");
  if (!list("mounts").empty()) return wrong("a directory of this machine is mounted in it");
  if (list("provision").size() != 1)
    return wrong("it has " + std::to_string(list("provision").size()) + " provision scripts");
  if (!list("copyToHost").empty()) return wrong("it copies files of the guest to this machine");
  if (!list("networks").empty()) return wrong("it has a network in addition to Lima's own");
  if (json.contains("ssh") && json["ssh"].is_object())
    for (const char* key : {"forwardAgent", "forwardX11", "forwardX11Trusted"})
      if (is_true(json["ssh"], key)) return wrong("its setting ssh." + std::string(key) + " is true");
  for (const Json& forward : list("portForwards")) {
    if (!forward.is_object()) return wrong("an item of its `portForwards` is not a map");
    if (is_true(forward, "ignore")) continue;
    const std::string from = text_of(forward, "hostIP");
    const bool ours = number_of(forward, "guestPort") == kDefaultPort && number_of(forward, "hostPort") == port &&
                      (from.empty() || from == "127.0.0.1") && !is_true(forward, "reverse") &&
                      text_of(forward, "guestSocket").empty() && text_of(forward, "hostSocket").empty();
    if (!ours)
      return wrong("it has a forwarded port that band did not set: band forwards only port " + std::to_string(port) +
                   " to the server");
  }
  if (forwarded_port(configuration) != port) return wrong("the server's port is not forwarded");
  return done();
}

std::vector<std::string> left_by_drain(const std::string& printed) {
  std::vector<std::string> left;
  const std::size_t at = printed.find("{\"left\"");
  if (at == std::string::npos) return left;
  const auto json = parse_json(printed.substr(at, printed.find('\n', at) - at), "what band-server drain printed");
  if (!json.ok() || !json->is_object() || !(*json)["left"].is_array()) return left;
  for (const Json& one : (*json)["left"])
    if (one.is_object() && !text_of(one, "script").empty() && !text_of(one, "id").empty())
      left.push_back(text_of(one, "script") + " (" + text_of(one, "id") + ")");
  return left;
}

}  // namespace band::client::vm
