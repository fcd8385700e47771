// Runs limactl of Lima 2, the program that manages virtual machines. In tests, limactl is replaced by
// the script tests/vm/limactl. This script imitates all behaviour of limactl on which band relies.
//
// Every call sets LIMA_HOME to a directory that only band uses (home()). In the user's own LIMA_HOME, the directory
// _config can contain defaults that add mounts, forwarded ports and scripts to each machine. Of a machine that limactl
// lists, only its name, its state, its directory, and the configuration with which Lima will start it are used.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "schemas/core/json_fwd.h"
#include "schemas/core/result.h"

namespace band::client::vm {

inline constexpr int kShortMs = 60'000;  // the default timeout of shell(), in milliseconds

// Running: Lima has started its processes for the machine; the guest may not have booted completely. Broken: any state
// other than Missing, Stopped and Running, for example when a process of Lima does not respond.
enum class State { Missing, Stopped, Running, Broken };

struct Instance {
  State state = State::Missing;
  std::string directory;      // directory on the host that contains the machine's logs
  std::string configuration;  // the machine's lima.yaml, completed with Lima's defaults, as JSON
};

class Limactl {
 public:
  // Finds limactl in $PATH, and makes the directory home(); starts no program. `name`: the name of the machine. Errors:
  // Code::NoVmSoftware when limactl is not in $PATH. Code::Usage when this process runs as root, because limactl
  // refuses to run as root. Code::Usage when the path of the machine's directory in home() is too long for Lima's
  // sockets.
  static Result<Limactl> find(const std::string& name);
  Status check_version() const;  // error Code::NoVmSoftware when limactl is older than 2.0

  static std::string home();  // ~/.band/lima

  // Called with human-readable progress lines of limactl. May be empty.
  using Say = std::function<void(const std::string& line)>;

  // The functions below return Code::SandboxUnavailable when limactl fails. `flags` are flags of limactl.
  Result<Instance> look() const;  // calls `limactl list` once
  Status create(const std::string& lima_yaml, const std::vector<std::string>& flags, const Say& say) const;
  Status start(const std::vector<std::string>& flags, const Say& say) const;
  Status stop(bool by_force, const Say& say) const;
  Status remove() const;  // deletes the machine in any state; succeeds if the machine does not exist

  // Runs a command in the guest as the guest's ordinary user, which may use sudo. `words` is the command's argv; no
  // shell interprets it. Errors: Code::SandboxUnavailable, with the end of the command's stderr, when the exit status
  // of the command is not in `fine`; Code::Timeout when the command has not ended after `ms` milliseconds (the guest is
  // untrusted and may never respond).
  struct Ran {
    int status = 0;
    std::string out;  // at most 1 MiB
  };
  Result<Ran> shell(const std::vector<std::string>& words, const Say& say = {}, const std::vector<int>& fine = {0},
                    int ms = kShortMs) const;
  // Waits until a login in the guest succeeds, but not longer than `most`. Use await_shell() for a machine in
  // State::Running, because its guest may not have booted completely.
  Status await_shell(std::chrono::seconds most) const;
  // Copies files of this machine into the existing directory `directory` of the guest.
  Status copy(const std::vector<std::string>& files, const std::string& directory) const;

  // Returns the ends of the machine's logs, which show why the machine does not start; "" if there are no logs.
  std::string logs(const Instance& instance) const;

 private:
  Limactl(std::string program, std::string name) : program_(std::move(program)), name_(std::move(name)) {}
  struct Called {
    int status = 0;
    std::string out, error;  // `error`: limactl's last error messages
  };
  Result<Called> call(std::vector<std::string> words, const Say& say, int ms) const;
  Status act(const std::vector<std::string>& words, const Say& say, int ms) const;

  std::string program_, name_;
};

// ---- pure -----------------------------------------------------------------------------------------------------------

// Parses `lines`, the output of `limactl list --json`. Returns the machine `name`; if `lines` do not contain it,
// returns an Instance with State::Missing.
Result<Instance> instance_of(const std::string& lines, const std::string& name);

// Parses a line like `limactl version 2.2.0-153-g183a60d7.m`. Returns whether the version is at least 2.0. Returns true
// when the version does not begin with a digit, as in a limactl that the user has compiled. Returns false when the line
// does not begin with `limactl version `.
bool is_new_enough(const std::string& version_line);

// Checks Instance::configuration against band's template. The configuration must have Lima's setting `plain`, only one
// provision script, and only one forwarded port. It must not have mounts, files that are copied to this machine,
// networks in addition to Lima's own, a forwarded ssh agent, or forwarded X11. The port of this machine that Lima
// forwards to the server's port must be `port`, on the loopback address. The error (Code::SandboxUnavailable) names the
// first difference.
Status check_configuration(const std::string& configuration, std::uint16_t port);
// Returns the port of this machine that is forwarded to the server's port according to `configuration`; nullopt if no
// port is.
std::optional<std::uint16_t> forwarded_port(const std::string& configuration);

// Parses `printed`, the output of `band-server drain`. Returns the executions that still run according to this output,
// as `SCRIPT (ID)`; an empty list if the output names none.
std::vector<std::string> left_by_drain(const std::string& printed);

}  // namespace band::client::vm
