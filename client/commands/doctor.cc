// `band doctor`: checks every part between this shell and a script's first line, and prints one line for each.
#include <sys/statvfs.h>

#include <cstdlib>
#include <vector>

#include "client/commands/build_difference.h"
#include "client/commands/commands.h"
#include "client/commands/connect.h"
#include "client/commands/run_plan.h"
#include "client/commands/server_facts.h"
#include "client/host/environment.h"
#include "client/host/spawn.h"
#include "client/ssh/tunnel.h"
#include "client/transport/daemon.h"
#include "client/vm/machine.h"
#include "schemas/core/json_text.h"
#include "schemas/wire/wire.h"

namespace band::client {
namespace {

constexpr std::uint64_t kLeastDisk = 1ull << 30;  // bytes: an execution may use some hundred MiB

struct Finding {
  std::string part, detail, mend;  // mend: the remedy; empty when the part works
  Code code = Code::Internal;      // the error of a broken part
};

class Examination {
 public:
  explicit Examination(const Choice& choice) : choice_(choice) {}

  // Checks the parts in the order of a request's path. Stops at the first broken part.
  const std::vector<Finding>& run() {
    (void)(target() && programs() && machine() && tunnel() && server() && version() && layers() && clock() && disk() &&
           script());
    return findings_;
  }
  bool well() const { return findings_.back().mend.empty(); }

 private:
  bool good(const char* part, std::string detail) {
    findings_.push_back({part, std::move(detail), "", Code::Internal});
    return true;
  }
  bool bad(const char* part, const Error& error, const std::string& mend = "") {
    const std::string hint = !mend.empty() ? mend : error.hint.empty() ? hint_of_target() : error.hint;
    findings_.push_back({part, error.message(), hint, error.code});
    return false;
  }
  std::string hint_of_target() const {
    if (kind_of(choice_.name) == kRemote) return "see the server's log on its machine";
    Target named;
    named.name = choice_.name;
    return way_to_make(named);
  }
  bool too_little(const std::string& left, const std::string& mend) {
    return bad("disk",
               {.code = Code::SandboxUnavailable,
                .doing = left + "; at least " + human_bytes(std::int64_t{kLeastDisk}) + " must be free"},
               mend);
  }

  bool target() {
    auto loaded = load_target(choice_.name);
    if (!loaded.ok()) return bad("target", loaded.error());
    target_ = std::move(loaded).value();
    return good("target", choice_.name + ", " + target_.url + " (" + std::string(chosen_by_text(choice_.by)) + ")");
  }

  bool programs() {
    if (!target_.ssh.empty()) {
      const auto ssh = ssh_program();
      return ssh.ok() ? good("programs", *ssh) : bad("programs", ssh.error());
    }
    if (target_.vm.empty()) return good("programs", "none are needed on this machine");
    auto lima = vm::Limactl::find(target_.vm);
    if (!lima.ok()) return bad("programs", lima.error());
    lima_ = std::move(lima).value();
    const Status version = lima_->check_version();
    return version.ok() ? good("programs", "limactl " + find_program("limactl")) : bad("programs", version.error());
  }

  bool machine() {
    if (target_.vm.empty()) return true;
    const char* const part = "machine";
    const auto instance = lima_->look();
    if (!instance.ok()) return bad(part, instance.error());
    const auto is = [&](const std::string& what, const char* mend) {
      return bad(part, {.code = Code::ServerUnreachable, .doing = "the virtual machine \"" + target_.vm + "\" " + what},
                 mend);
    };
    if (instance->state == vm::State::Missing) return is("does not exist", "band setup");
    if (instance->state == vm::State::Stopped) return is("is stopped", "band start, or any `band run`");
    if (instance->state == vm::State::Broken)
      return is("is broken: one of its processes has exited", "band start; if it is still broken, band setup");
    if (const auto port = vm::forwarded_port(instance->configuration); port != target_.port)
      return is("forwards a port other than that of the target", "band setup");
    const auto login = lima_->shell({"systemctl", "is-active", "band-server"}, {}, {0, 3, 4});
    if (!login.ok()) return bad(part, login.error(), "band stop; band start");
    (void)good(part, "\"" + target_.vm + "\" runs");
    if (login->status == 0) return true;
    const std::string reason = login->out == "inactive\n" ? "" : reason_in_log();
    return bad(reason.empty() ? "server" : "layers",
               {.code = Code::SandboxUnavailable, .doing = "the server in the virtual machine does not run" + reason},
               "band start; if the server still does not run, `band setup` installs it again");
  }

  // Returns ": " and the server's last message; "" when its log has none. A server that cannot set up a layer does not
  // start, and this message names the layer.
  std::string reason_in_log() const {
    const auto log = lima_->shell({"sudo", "journalctl", "--quiet", "--no-pager", "--output=cat", "--boot",
                                   "--unit=band-server", "--grep=^band-server: ", "--lines=1"},
                                  {}, {0, 1});
    const std::string line = log.ok() ? log->out.substr(0, log->out.find('\n')) : "";
    return line.empty() ? "" : ": " + line;
  }

  bool tunnel() {
    if (target_.ssh.empty()) return true;
    const auto open = open_tunnel(target_, Questions::None);
    return open.ok() ? good("tunnel", "ssh to " + target_.ssh) : bad("tunnel", open.error());
  }

  bool server() {
    daemon_.emplace(target_);
    const Status proved = daemon_->prove();
    if (proved.ok()) return good("server", "the server has proved that it has the token");
    const Error& error = proved.error();
    if (error.code == Code::ServerUnreachable)
      return bad(
          "port", error,
          target_.vm.empty() ? "" : "band setup; if another program uses the port, band setup chooses a free port");
    const char* const part = error.code != Code::Unauthorized ? "server"
                             : daemon_->answered_with_proof() ? "token"
                                                              : "port";
    return bad(part, error, way_to_make(target_));
  }

  bool version() {
    auto facts = server_facts(*daemon_);
    if (!facts.ok()) return bad("version", facts.error());
    facts_ = std::move(facts).value();
    const std::string difference = build_difference(target_, facts_.build, own_source());
    if (difference.empty()) return good("version", facts_.version + ", the same in client and server");
    return bad("version", {.code = Code::SandboxUnavailable, .doing = difference}, way_to_update(target_));
  }

  bool layers() {
    if (facts_.inactive.empty()) return good("layers", "all " + std::to_string(facts_.layers) + " active");
    std::string names;
    for (const std::string& name : facts_.inactive) names += (names.empty() ? "" : ", ") + name;
    return bad("layers", {.code = Code::SandboxUnavailable, .doing = "not active: " + names},
               "the kernel of the server's machine lacks a feature; `band status` names it");
  }

  bool clock() {
    const std::string difference = clock_difference(daemon_->clock_ahead_ms());
    if (difference.empty()) return good("clock", "the same in client and server");
    return bad(
        "clock", {.code = Code::SandboxUnavailable, .doing = "the server's clock is " + difference},
        target_.vm.empty() ? "set the clock, or let the server's machine run NTP" : "any `band run` sets the clock");
  }

  // Checks the free space on this machine: where the virtual machine's disk is, or else where the server's files are.
  bool disk() {
    if (!target_.ssh.empty()) return true;
    const std::string place = target_.vm.empty() ? "/var/lib" : vm::Limactl::home();
    struct statvfs space = {};
    if (::statvfs(place.c_str(), &space) != 0) return good("disk", place + ": not known");
    const std::uint64_t left = static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize;
    const std::string text = human_bytes(static_cast<std::int64_t>(left)) + " left at " + place;
    if (left >= kLeastDisk) return guest_disk(text);
    return too_little(text, "remove files that you no longer need");
  }

  bool guest_disk(const std::string& text) {
    if (target_.vm.empty()) return good("disk", text);
    const auto left = lima_->shell({"df", "--output=avail", "--block-size=1", "/"});
    if (!left.ok()) return bad("disk", left.error());
    const std::string digits = left->out.substr(std::min(left->out.find('\n') + 1, left->out.size()));
    const auto bytes = static_cast<std::uint64_t>(std::strtoull(digits.c_str(), nullptr, 10));
    const std::string both = text + ", " + human_bytes(static_cast<std::int64_t>(bytes)) + " in the virtual machine";
    if (bytes >= kLeastDisk) return good("disk", both);
    return too_little(both, "band setup --force --disk GIB creates a new virtual machine with a larger disk");
  }

  bool script() {
    ExecRequest request;
    request.script = "doctor/first-line";
    request.source = "echo '{}' > \"$OUTPUT_PATH\"\n";
    // A new connection: disk() may have taken so long that the server has closed the idle one.
    daemon_.emplace(target_);
    if (const Status proved = daemon_->prove(); !proved.ok()) return bad("script", proved.error());
    const auto answer = daemon_->execute(RequestText(request), EffectiveLimits(), {});  // the defaults
    if (!answer.ok()) return bad("script", answer.error());
    if (answer->error)
      return bad("script", *answer->error, "`band status` shows the layers; the server's log has details");
    return good("script", "a test script ran in a sandbox");
  }

  const Choice choice_;
  Target target_;
  std::optional<vm::Limactl> lima_;  // only for a target with a virtual machine
  std::optional<Daemon> daemon_;
  ServerFacts facts_;
  std::vector<Finding> findings_;
};

std::string as_json(const std::vector<Finding>& findings, const std::string& target) {
  std::vector<std::string> parts;
  for (const Finding& one : findings) {
    const bool well = one.mend.empty();
    std::vector<std::pair<std::string_view, std::string>> members = {
        {"part", json_string(one.part)}, {"ok", well ? "true" : "false"}, {"detail", json_string(one.detail)}};
    if (!well) members.emplace_back("mend", json_string(one.mend));
    parts.push_back(json_object(members));
  }
  return json_object({{"target", json_string(target)}, {"parts", json_array(parts)}});
}

}  // namespace

int doctor_command(const CommandLine& line, Terminal& terminal) {
  const auto choice = choose_target(line.target);
  if (!choice.ok()) return fail(line, terminal, choice.error());
  Examination examination(*choice);
  const std::vector<Finding>& findings = examination.run();
  const int code = examination.well() ? 0 : exit_code(findings.back().code);
  if (line.json) {
    const int printed = print_json_text(terminal, as_json(findings, choice->name));
    return printed != 0 ? printed : code;
  }
  std::string text;
  for (const Finding& one : findings) {
    std::string part = one.part;
    part.resize(std::max<std::size_t>(part.size(), 9), ' ');
    text += (one.mend.empty() ? "ok     " : "WRONG  ") + part + printable_line(one.detail) + "\n";
    if (!one.mend.empty()) text += "       remedy:  " + printable_line(one.mend) + "\n";
  }
  const int printed = print(terminal, text);
  return printed != 0 ? printed : code;
}

}  // namespace band::client
