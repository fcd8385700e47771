// Runs limactl of Lima 2. The stand-in of the tests implements the behaviour that band relies on (tests/vm/limactl).
//
// Every call uses a LIMA_HOME of band's own, because a user's Lima defaults (LIMA_HOME/_config) can add mounts,
// forwards and scripts to each machine. As little as possible of limactl's output is trusted: a machine's name, its
// state, and the configuration with which Lima will start it.
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

inline constexpr int kShortMs = 60'000;

enum class State { Missing, Stopped, Running, Broken };  // Running: its processes run, but it may still boot

struct Instance {
  State state = State::Missing;
  std::string directory;      // the directory of its logs, on this machine
  std::string configuration;  // lima.yaml with Lima's defaults, as JSON
};

class Limactl {
 public:
  // Starts nothing. Errors: Code::NoVmSoftware when limactl is not in $PATH; Code::Usage for root, because limactl
  // refuses to run as root, and for a home whose path is too long for Lima's sockets.
  static Result<Limactl> find(const std::string& name);
  Status check_version() const;  // Code::NoVmSoftware when it is older than 2.0

  static std::string home();  // ~/.band/lima

  // `say` is called with human-readable progress lines of limactl.
  using Say = std::function<void(const std::string& line)>;

  Result<Instance> look() const;  // one `limactl list`
  Status create(const std::string& lima_yaml, const std::vector<std::string>& flags, const Say& say) const;
  Status start(const std::vector<std::string>& flags, const Say& say) const;
  Status stop(bool by_force, const Say& say) const;
  Status remove() const;  // in any state; succeeds if there is none

  // Runs a command in the guest as its ordinary user; sudo is allowed. Words are passed unchanged. Errors:
  // Code::SandboxUnavailable when the exit status is not in `fine`, with the end of its stderr; Code::Timeout after
  // `ms` milliseconds, because the guest is untrusted.
  struct Ran {
    int status = 0;
    std::string out;  // at most 1 MiB
  };
  Result<Ran> shell(const std::vector<std::string>& words, const Say& say = {}, const std::vector<int>& fine = {0},
                    int ms = kShortMs) const;
  // Waits until a login succeeds: a machine in state Running may still boot.
  Status await_shell(std::chrono::seconds most) const;
  // Copies files of this machine into a directory of the guest.
  Status copy(const std::vector<std::string>& files, const std::string& directory) const;

  // Returns the ends of the logs that show why a machine does not start; "" if there are none.
  std::string logs(const Instance& instance) const;

 private:
  Limactl(std::string program, std::string name) : program_(std::move(program)), name_(std::move(name)) {}
  struct Called {
    int status = 0;
    std::string out, error;  // `error`: the last records with errors
  };
  Result<Called> call(std::vector<std::string> words, const Say& say, int ms) const;
  Status act(const std::vector<std::string>& words, const Say& say, int ms) const;

  std::string program_, name_;
};

// ---- pure -----------------------------------------------------------------------------------------------------------

// Returns the entry with this name in the output of `limactl list --json`; Missing if there is none.
Result<Instance> instance_of(const std::string& lines, const std::string& name);

// Parses `limactl version 2.2.0-153-g183a60d7.m`. Returns whether it is at least 2.0; true for an unknown version.
bool is_new_enough(const std::string& version_line);

// Checks that the configuration, as completed by Lima, meets the template: no mounts, no agent, only the server's port
// forwarded, to `port` of this machine's loopback, one script. Errors (Code::SandboxUnavailable) name the difference.
Status check_configuration(const std::string& configuration, std::uint16_t port);
// Returns the port of this machine that the configuration forwards to the server.
std::optional<std::uint16_t> forwarded_port(const std::string& configuration);

// Returns the executions that `band-server drain` reports as still running, as `SCRIPT (ID)`. Empty if the output has
// no such report.
std::vector<std::string> left_by_drain(const std::string& printed);

}  // namespace band::client::vm
