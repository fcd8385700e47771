// limactl of Lima 2, as a program. What band relies on is what the stand-in of the tests does (tests/vm/limactl).
//
// Every call has a LIMA_HOME of band's own: a user's Lima defaults (LIMA_HOME/_config) can add mounts, forwards and
// scripts to each machine. What limactl prints is not trusted further than it has to be: a machine's name, its state,
// its own configuration as Lima will start it.
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

enum class State { Missing, Stopped, Running, Broken };  // Running: its processes live; it may be booting

struct Instance {
  State state = State::Missing;
  std::string directory;      // of its logs, on this machine
  std::string configuration;  // lima.yaml with Lima's defaults, as JSON
};

class Limactl {
 public:
  // Starts nothing. Errors: Code::NoVmSoftware when there is none; Code::Usage for root, whom limactl refuses, and for
  // a home whose path is too long for the sockets that Lima makes there.
  static Result<Limactl> find(const std::string& name);
  Status check_version() const;  // Code::NoVmSoftware when it is older than 2.0

  static std::string home();  // ~/.band/lima

  // `say` gets a line for people now and then: what limactl reports as progress.
  using Say = std::function<void(const std::string& line)>;

  Result<Instance> look() const;  // one `limactl list`
  Status create(const std::string& lima_yaml, const std::vector<std::string>& flags, const Say& say) const;
  Status start(const std::vector<std::string>& flags, const Say& say) const;
  Status stop(bool by_force, const Say& say) const;
  Status remove() const;  // whatever state it is in; fine when there is none

  // Runs words in the guest, as its ordinary user, who may use sudo. Each word arrives as it is. Errors:
  // Code::SandboxUnavailable when they exit with another status than those of `fine`, with the end of what they wrote
  // to stderr; Code::Timeout after `ms` milliseconds: the guest is not trusted to come to an end.
  struct Ran {
    int status = 0;
    std::string out;  // at most 1 MiB
  };
  Result<Ran> shell(const std::vector<std::string>& words, const Say& say = {}, const std::vector<int>& fine = {0},
                    int ms = kShortMs) const;
  // Until a login works: a machine that is Running may still be booting.
  Status await_shell(std::chrono::seconds most) const;
  // Copies files of this machine into a directory of the guest.
  Status copy(const std::vector<std::string>& files, const std::string& directory) const;

  // The ends of the logs that tell why a machine does not come up; "" when there are none.
  std::string logs(const Instance& instance) const;

 private:
  Limactl(std::string program, std::string name) : program_(std::move(program)), name_(std::move(name)) {}
  struct Called {
    int status = 0;
    std::string out, error;  // of its records: the last ones that say what is wrong
  };
  Result<Called> call(std::vector<std::string> words, const Say& say, int ms) const;
  Status act(const std::vector<std::string>& words, const Say& say, int ms) const;

  std::string program_, name_;
};

// ---- pure -----------------------------------------------------------------------------------------------------------

// The line of `limactl list --json` that has this name; Missing when there is none.
Result<Instance> instance_of(const std::string& lines, const std::string& name);

// `limactl version 2.2.0-153-g183a60d7.m`: is it at least 2.0? A version that is unknown counts as new.
bool is_new_enough(const std::string& version_line);

// What the template wants of the machine as Lima has it: no mounts, no agent, nothing forwarded but the server's port
// to `port` of this machine's loopback, one script. Errors (Code::SandboxUnavailable) name what is different.
Status check_configuration(const std::string& configuration, std::uint16_t port);
// The port of this machine that leads to the server, as the configuration has it.
std::optional<std::uint16_t> forwarded_port(const std::string& configuration);

// What `band-server drain` says that it has left, in what it printed: `SCRIPT (ID)` each. Empty when it says nothing of
// the kind.
std::vector<std::string> left_by_drain(const std::string& printed);

}  // namespace band::client::vm
