// Runs limactl of Lima 2, the program that manages virtual machines. In tests, limactl is replaced by
// the script tests/vm/limactl. This script contains all behaviour of limactl on which band relies.
//
// Every call uses a LIMA_HOME of band's own, because defaults of the user in LIMA_HOME/_config can add mounts,
// forwarded ports and scripts to each machine. Only three facts are taken from limactl's output: the name of a machine,
// its state, and the configuration with which Lima will start it.
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

// Running: Lima has started its processes for the machine; the guest may not have booted completely.
enum class State { Missing, Stopped, Running, Broken };

struct Instance {
  State state = State::Missing;
  std::string directory;      // directory on the host that contains the machine's logs
  std::string configuration;  // lima.yaml with Lima's defaults, as JSON
};

class Limactl {
 public:
  // Finds limactl in $PATH; starts nothing. `name`: the name of the machine. Errors: Code::NoVmSoftware when limactl is
  // not in $PATH. Code::Usage when this process runs as root, because limactl refuses that, and when the path of home()
  // is too long for Lima's sockets.
  static Result<Limactl> find(const std::string& name);
  Status check_version() const;  // Code::NoVmSoftware when limactl is older than 2.0

  static std::string home();  // ~/.band/lima

  // `say` is called with human-readable progress lines of limactl.
  using Say = std::function<void(const std::string& line)>;

  Result<Instance> look() const;  // calls `limactl list` once
  Status create(const std::string& lima_yaml, const std::vector<std::string>& flags, const Say& say) const;
  Status start(const std::vector<std::string>& flags, const Say& say) const;
  Status stop(bool by_force, const Say& say) const;
  Status remove() const;  // deletes the machine in any state; succeeds if it does not exist

  // Runs a command in the guest as the guest's ordinary user, which may use sudo. `words` is the command's argv; no
  // shell interprets it. Errors: Code::SandboxUnavailable, with the end of the command's stderr, when its exit status
  // is not in `fine`; Code::Timeout after `ms` milliseconds (the guest is untrusted and may never respond).
  struct Ran {
    int status = 0;
    std::string out;  // at most 1 MiB
  };
  Result<Ran> shell(const std::vector<std::string>& words, const Say& say = {}, const std::vector<int>& fine = {0},
                    int ms = kShortMs) const;
  // Waits until a login succeeds, but not longer than `most`. A guest in State::Running may not have booted completely.
  Status await_shell(std::chrono::seconds most) const;
  // Copies files of this machine into the directory `directory` of the guest.
  Status copy(const std::vector<std::string>& files, const std::string& directory) const;

  // Returns the ends of the machine's logs, which show why it does not start; "" if there are no logs.
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

// Parses `lines`, the output of `limactl list --json`. Returns the machine with this name; State::Missing if it is not
// listed.
Result<Instance> instance_of(const std::string& lines, const std::string& name);

// Parses a line like `limactl version 2.2.0-153-g183a60d7.m`. Returns whether the version is at least 2.0. Returns true
// when the line cannot be parsed.
bool is_new_enough(const std::string& version_line);

// Checks a configuration that Lima has completed with its defaults. It must still have what band's template sets: no
// mounts, no forwarded ssh agent, only one provision script, and only one forwarded port. The forwarded port is `port`
// on this machine's loopback, and leads to the server's port. The error (Code::SandboxUnavailable) names the
// difference.
Status check_configuration(const std::string& configuration, std::uint16_t port);
// Returns the port of this machine that the configuration forwards to the server's port; nullopt if there is none.
std::optional<std::uint16_t> forwarded_port(const std::string& configuration);

// Parses the output of `band-server drain`. Returns the executions that it reports as still running, as `SCRIPT (ID)`;
// empty if it reports none.
std::vector<std::string> left_by_drain(const std::string& printed);

}  // namespace band::client::vm
