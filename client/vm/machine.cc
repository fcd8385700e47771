#include "client/vm/machine.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <sstream>
#include <thread>

#include "client/host/environment.h"
#include "client/host/file_lock.h"
#include "schemas/core/fd.h"

namespace band::client::vm {
namespace {

using namespace std::chrono_literals;

constexpr int kSteps = 6;
constexpr auto kBoots = 600s;         // boot of a machine that was started by another program
constexpr auto kProvisions = 900s;    // installation of its packages, also over a slow line
constexpr auto kServerComesUp = 30s;  // from the start of the service until the server responds
constexpr auto kSettles = 10s;        // the state `Broken` can be transient while a part starts or responds slowly

// Waits until the server works; at the deadline, returns the last error.
Status comes_to_work(const Target& target, const Works& works, std::chrono::seconds most) {
  const auto deadline = std::chrono::steady_clock::now() + most;
  for (;;) {
    Status proved = works(target);
    if (proved.ok() || std::chrono::steady_clock::now() >= deadline) return proved;
    std::this_thread::sleep_for(500ms);
  }
}

// Returns whether the error means that another program or none listens there. A server that is too busy for a proof
// returns another error.
bool is_elsewhere(const Error& error) {
  return error.code == Code::Unauthorized || error.code == Code::ServerUnreachable;
}

// Returns a currently unused port; another program may take it before the machine starts.
Result<std::uint16_t> free_port() {
  const Fd socket(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (!socket || ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return Error{.code = Code::Internal, .doing = "cannot find a free port", .err = errno};
  return ntohs(address.sin_port);
}

std::string port_flag(std::uint16_t port) { return ".portForwards[0].hostPort = " + std::to_string(port); }

// The lock that is held while a machine is created, started or stopped.
Result<Fd> lock(const std::string& name, const Show& show) {
  BAND_CHECK(make_private_directory(Limactl::home()));
  return lock_file(state_directory() + "/lima-" + name + ".lock", [&] {
    show.note("note: another band command is changing the virtual machine \"" + name +
              "\"; waiting until that command ends");
  });
}

// Returns the state in `limactl list` when it is no longer transient.
Result<Instance> settled(const Limactl& lima) {
  const auto deadline = std::chrono::steady_clock::now() + kSettles;
  for (;;) {
    BAND_TRY(Instance instance, lima.look());
    if (instance.state != State::Broken || std::chrono::steady_clock::now() >= deadline) return instance;
    std::this_thread::sleep_for(1s);
  }
}

// Announces a single long action.
void begin(const Show& show, const std::string& what, std::chrono::seconds usual) { show.begin({0, 0, what, usual}); }

// ---- processors and memory of a running machine: applied at its next start ----

std::string next_start_file(const std::string& name) { return "lima-" + name + ".next"; }

std::vector<std::string> size_flags(const Wanted& wanted) {
  std::vector<std::string> flags;
  if (wanted.cpus) flags.insert(flags.end(), {"--cpus", std::to_string(*wanted.cpus)});
  if (wanted.memory_gib) flags.insert(flags.end(), {"--memory", std::to_string(*wanted.memory_gib)});
  return flags;
}

std::vector<std::string> kept_flags(const std::string& name) {
  std::vector<std::string> flags;
  const auto text = read_private_file(state_directory() + "/" + next_start_file(name), 4096, Code::Usage);
  std::istringstream lines(text.ok() ? *text : "");
  for (std::string line; std::getline(lines, line);) flags.push_back(line);
  return flags;
}

// Appends to the kept flags: of two flags with the same name limactl uses the later one.
Status keep_for_next_start(const std::string& name, const std::vector<std::string>& flags) {
  std::string text;
  for (const auto& list : {kept_flags(name), flags})
    for (const std::string& flag : list) text += flag + "\n";
  return write_private_file(state_directory(), next_start_file(name), text);
}

void forget_flags(const std::string& name) { ::unlink((state_directory() + "/" + next_start_file(name)).c_str()); }

// ---- the steps ------------------------------------------------------------------------------------------------------

class SettingUp {
 public:
  SettingUp(const Limactl& lima, const GuestFiles& files, const Wanted& wanted, const Show& show)
      : lima_(lima), files_(files), wanted_(wanted), show_(show) {}

  Status machine() {
    BAND_CHECK(lima_.check_version());
    if (instance_.state == State::Missing) BAND_CHECK(create());
    if (instance_.state == State::Broken) {
      if (instance_.configuration.empty() || instance_.configuration == "null")
        return Error{.code = Code::SandboxUnavailable,
                     .doing = "the virtual machine \"" + wanted_.name + "\" was not created completely",
                     .hint = "run `band setup --force` to create it again"};
      BAND_CHECK(lima_.stop(true, show_.progress));
    }
    if (instance_.state != State::Running) return start({});
    begin(2, "wait until the virtual machine has booted", 30s);
    return lima_.await_shell(kBoots);
  }

  Status create() {
    begin(1, "download Debian and create the virtual machine \"" + wanted_.name + "\"", 120s);
    BAND_TRY(const std::uint16_t port, free_port());
    std::vector<std::string> flags = size_flags(wanted_);
    if (wanted_.disk_gib) flags.insert(flags.end(), {"--disk", std::to_string(*wanted_.disk_gib)});
    flags.insert(flags.end(), {"--set", port_flag(port)});
    BAND_CHECK(lima_.create(files_.file("band.yaml"), flags, show_.progress));
    BAND_TRY(instance_, lima_.look());
    Status good = check_configuration(instance_.configuration, port);
    if (!good.ok()) (void)lima_.remove();
    return good;
  }

  Status start(std::vector<std::string> flags) {
    begin(2, "start the virtual machine", 60s);
    // Also checks a machine that an interrupted setup left unchecked.
    const std::string& configuration = instance_.configuration;
    BAND_CHECK(check_configuration(configuration, forwarded_port(configuration).value_or(0)));
    for (const auto& more : {kept_flags(wanted_.name), size_flags(wanted_)})
      flags.insert(flags.end(), more.begin(), more.end());
    Status started = lima_.start(flags, show_.progress);
    BAND_TRY(instance_, lima_.look());
    if (started.ok() && instance_.state != State::Running)
      started =
          Error{.code = Code::SandboxUnavailable, .doing = "limactl started the virtual machine, but it does not run"};
    if (!started.ok()) {
      if (const std::string logs = lima_.logs(instance_); !logs.empty()) show_.note(logs);
      started.error().hint =
          "run `band setup` to continue with the existing machine, or `band setup --force` to delete it and create it "
          "again";
      return started;
    }
    forget_flags(wanted_.name);
    return done();
  }

  // `limactl start` reports READY regardless of the script's result.
  Status system() {
    begin(3, "prepare the system of the virtual machine: packages, sysctls", 60s);
    BAND_TRY(const std::string result, provision_result());
    if (result == "0\n") return done();
    note_log(lima_, "/var/log/band-provision.log", show_);
    return Error{
        .code = Code::SandboxUnavailable,
        .doing = result.empty() ? "the script that prepares the virtual machine has not finished"
                                : "preparing the virtual machine failed: " + result.substr(0, result.find('\n')),
        .hint = "run `band stop`, then `band setup`; if the setup has never finished, run `band setup --force`"};
  }

  Status server() {
    BAND_TRY(const bool current, has_server(lima_, files_));
    if (current) return done();
    changed_ = true;
    return install_server(
        lima_, files_, wanted_.drain_s,
        [&](const std::string& what, std::chrono::seconds usual) { begin(4, what, usual); }, show_);
  }

  // Returns the target with a token that works.
  Result<Target> token(const std::optional<Target>& there, const Works& works) {
    begin(5, "exchange the token", 5s);
    const auto port = forwarded_port(instance_.configuration);
    if (!port)
      return Error{.code = Code::SandboxUnavailable,
                   .doing = "no port of this machine is forwarded to the server",
                   .hint = "run `band setup --force` to create the machine again"};
    if (there && there->port == *port && there->vm == wanted_.name) {
      const Status proved = comes_to_work(*there, works, 5s);
      // A new token would end executions of the old one. It is created only if the server does not accept the old one.
      if (proved.ok() || proved.error().code == Code::ServerUnreachable) return *there;
      if (proved.error().code != Code::Unauthorized) return proved.error();
    }
    return new_token(*port);
  }

  Result<Target> new_token(std::uint16_t port) {
    changed_ = true;
    has_new_token_ = true;
    const std::string name = "host-" + std::to_string(::getuid());
    // A token of this name that was lost on this machine would make `token add` fail.
    BAND_TRY(const auto revoked,
             lima_.shell({"sudo", "band-server", "token", "revoke", name}, {}, {0, 1, 2, 3, 4, 5, 6, 7, 8}));
    BAND_TRY(const auto said, lima_.shell({"sudo", "band-server", "token", "add", name}));
    std::string line = said.out.substr(0, said.out.find_last_not_of('\n') + 1);
    line.erase(0, line.rfind('\n') + 1);
    BAND_TRY(Target target, handed_over(std::string(kLima), line));
    target.server_port = target.port;
    BAND_CHECK(parse_url("http://127.0.0.1:" + std::to_string(port), target));
    target.vm = wanted_.name;
    return target;
  }

  // Another program may listen on the port of this machine; limactl only warns about that. The token is not sent to a
  // program that does not prove that it has it. The proof names the server's port in the guest, not the port here: a
  // program on the old port could forward requests to the new one. A token that may be stored with the old port is
  // therefore revoked before a new port is used.
  Status way(Target& target, const Works& works) {
    begin(6, "check that the server has the token", 5s);
    Status proved = comes_to_work(target, works, kServerComesUp);
    if (proved.ok() || !is_elsewhere(proved.error())) return proved;
    BAND_TRY(const std::uint16_t port, free_port());
    show_.note("note: no program at " + target.url +
               " has proved that it has the token; another program may have the port. Trying another port");
    BAND_CHECK(drain_server(lima_, wanted_.drain_s, show_));
    if (has_new_token_) {
      BAND_CHECK(parse_url("http://127.0.0.1:" + std::to_string(port), target));
    } else {
      BAND_TRY(target, new_token(port));
    }
    BAND_CHECK(lima_.stop(false, show_.progress));
    BAND_CHECK(start({"--set", port_flag(port)}));
    if (comes_to_work(target, works, kServerComesUp).ok()) return done();
    return Error{
        .code = Code::ServerUnreachable,
        .doing = "the server in the virtual machine, at " + target.url + ", does not prove that it has the token",
        .hint = "run `band doctor` to check every part"};
  }

  Status look() {
    BAND_TRY(instance_, lima_.look());
    return done();
  }
  Status look_until_settled() {
    BAND_TRY(instance_, settled(lima_));
    return done();
  }
  const Instance& instance() const { return instance_; }
  bool changed() const { return changed_; }

 private:
  void begin(int step, const std::string& what, std::chrono::seconds usual) {
    if (step <= 2) changed_ = true;
    show_.begin({step, kSteps, what, usual});
  }

  // Returns "" if the script is still running.
  Result<std::string> provision_result() const {
    const auto deadline = std::chrono::steady_clock::now() + kProvisions;
    for (;;) {
      BAND_TRY(const auto ran, lima_.shell({"cat", "/run/band-provision/status"}, {}, {0, 1}));
      if (ran.status == 0 || std::chrono::steady_clock::now() >= deadline) return ran.out;
      std::this_thread::sleep_for(2s);
    }
  }

  const Limactl& lima_;
  const GuestFiles& files_;
  const Wanted& wanted_;
  const Show& show_;
  Instance instance_;
  bool changed_ = false, has_new_token_ = false;
};

}  // namespace

Result<SetUp> set_up(const Wanted& wanted, const std::optional<Target>& there, const Works& works, const Show& show) {
  BAND_TRY(const Limactl lima, Limactl::find(wanted.name));
  BAND_TRY(const GuestFiles files, guest_files());
  BAND_TRY(const Fd alone, lock(wanted.name, show));
  SettingUp setting(lima, files, wanted, show);
  if (wanted.force) {  // in any state, even one that `limactl list` cannot show
    BAND_CHECK(lima.remove());
    forget_flags(wanted.name);
  }
  BAND_CHECK(setting.look());
  const Instance& instance = setting.instance();
  const bool exists = instance.state == State::Running || instance.state == State::Broken;
  const bool known = there && there->vm == wanted.name && there->source == files.digest &&
                     there->port == forwarded_port(instance.configuration);
  const bool works_now = exists && known && works(*there).ok();
  if (instance.state != State::Missing && wanted.disk_gib)
    show.note(
        "note: the disk of an existing machine is not changed; `band setup --force --disk ...` creates the machine "
        "again");
  if ((works_now || instance.state == State::Running) && !size_flags(wanted).empty()) {
    BAND_CHECK(keep_for_next_start(wanted.name, size_flags(wanted)));
    show.note("note: processors and memory change at the next start: `band stop`, then `band start`");
  }
  if (works_now) return SetUp{*there, false};
  if (instance.state == State::Broken) BAND_CHECK(setting.look_until_settled());
  BAND_CHECK(setting.machine());
  BAND_CHECK(setting.system());
  BAND_CHECK(setting.server());
  BAND_TRY(Target target, setting.token(there, works));
  BAND_CHECK(setting.way(target, works));
  target.source = files.digest;
  return SetUp{std::move(target), setting.changed()};
}

Status install_claude(const std::string& name, const Show& show) {
  BAND_TRY(const Limactl lima, Limactl::find(name));
  BAND_TRY(const Fd alone, lock(name, show));
  BAND_TRY(const auto there, lima.shell({"sh", "-c", "command -v claude"}, {}, {0, 1, 127}));
  if (there.status == 0) return done();
  begin(show, "install Claude Code in the virtual machine", 60s);
  const std::string script =
      std::string(
          "{ command -v npm || { apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q "
          "install -y --no-install-recommends nodejs npm; } && npm install --global --prefix /usr --no-fund "
          "--no-audit @anthropic-ai/claude-code; } > ") +
      kInstallLog + " 2>&1";
  const auto ran = lima.shell({"sudo", "sh", "-c", script}, show.progress, {0}, kInstallMs);
  if (ran.ok()) return done();
  note_log(lima, kInstallLog, show);
  return ran.error();
}

Result<Target> bring_up(const Target& wanted, const Works& works, const Show& show) {
  BAND_TRY(const Limactl lima, Limactl::find(wanted.vm));
  BAND_TRY(const Fd alone, lock(wanted.vm, show));
  BAND_TRY(const Target target, load_target(wanted.name));  // a setup that held the lock may have changed it
  if (works(target).ok()) return target;                    // another caller may have started the machine
  BAND_TRY(const Instance instance, settled(lima));
  if (instance.state == State::Missing)
    return Error{.code = Code::ServerUnreachable,
                 .doing = "the virtual machine \"" + target.vm + "\" of target " + target.name + " does not exist",
                 .hint = "band setup"};
  if (instance.state == State::Broken) BAND_CHECK(lima.stop(true, show.progress));
  if (instance.state != State::Running) {
    BAND_CHECK(check_configuration(instance.configuration, target.port));
    begin(show, "start the virtual machine of target " + target.name, 60s);
    const Status started = lima.start(kept_flags(target.vm), show.progress);
    if (!started.ok())
      return Error{.code = Code::ServerUnreachable,
                   .doing = started.error().message(),
                   .hint = "for details: `band doctor`; `band setup` repairs it"};
    forget_flags(target.vm);
  }
  BAND_CHECK(lima.await_shell(kBoots));
  const auto server = lima.shell({"sudo", "systemctl", "start", "band-server"});  // no effect if it already runs
  if (server.ok() && comes_to_work(target, works, kServerComesUp).ok()) return target;
  return Error{.code = Code::ServerUnreachable,
               .doing = "the virtual machine \"" + target.vm + "\" runs, but its server does not respond",
               .hint = "run `band doctor` to check every part; `band setup` repairs it"};
}

Status halt(const std::string& name, const Show& show) {
  BAND_TRY(const Limactl lima, Limactl::find(name));
  BAND_TRY(const Fd alone, lock(name, show));
  BAND_TRY(const Instance instance, settled(lima));
  if (instance.state == State::Missing || instance.state == State::Stopped) return done();
  begin(show, "stop the virtual machine \"" + name + "\"", 20s);
  return lima.stop(instance.state == State::Broken, show.progress);
}

Status remove(const std::string& name, const Show& show) {
  BAND_TRY(const Limactl lima, Limactl::find(name));
  BAND_TRY(const Fd alone, lock(name, show));
  const auto instance = lima.look();  // a machine that `limactl list` cannot show is deleted, too
  forget_flags(name);
  if (instance.ok() && instance->state == State::Missing) return done();
  begin(show, "stop and delete the virtual machine \"" + name + "\"", 20s);
  if (instance.ok() && instance->state == State::Running)
    if (const Status stopped = lima.stop(false, show.progress); !stopped.ok())
      show.note("note: the virtual machine does not stop (" + stopped.error().message() + "); limactl kills it");
  return lima.remove();
}

// A login takes seconds: its measured duration is added to the time that is set.
Status set_clock(const std::string& name) {
  BAND_TRY(const Limactl lima, Limactl::find(name));
  const auto began = std::chrono::steady_clock::now();
  BAND_TRY(const auto login, lima.shell({"sudo", "true"}));
  const auto takes = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - began);
  BAND_TRY(const auto ran,
           lima.shell({"sudo", "date", "--set=@" + std::to_string(std::time(nullptr) + takes.count())}));
  return done();
}

}  // namespace band::client::vm
