// The broker of one execution. It reads the requests of shims: a shim is the program that a script finds under the name
// of a declared command, and that sends the command line to the broker. The broker compares each command line with the
// rules, and records how each command ended. It orders the holder to start the allowed commands: the holder is pid 1 of
// the namespaces in which commands run (the command view).
//
// Promises: a command runs only if the rules allow its name and arguments. A command line that a deny rule matches
// never runs. A command gets from the shim's request only the arguments, the working directory, the values of
// environment variables that the script may set (environment.h), the umask, the ignored signals and the descriptors.
// The data that a command reads and writes do not pass through the broker.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schemas/commands/decision.h"
#include "server/broker/door.h"
#include "server/broker/environment.h"
#include "server/init/setup.h"

namespace band::broker {

// A declared command, and how the holder starts it.
struct Offer {
  std::string name;  // file name of the shim
  // The file to execute, then arguments that are inserted before the arguments of the command line.
  std::vector<std::string> start;
};

struct Config {
  CommandRules rules;
  // The index of an offer is also the index of the command's Landlock rules in Setup::domains (server/init/setup.h).
  std::vector<Offer> offers;
  struct Environment {
    std::vector<std::string> variables;  // NAME=VALUE
    std::vector<NotPassed> not_passed;   // variables of the caller that the command does not get (environment.h)
  };
  // Returns the environment of the command that `request` starts. Called only for a command that is in `offers`.
  std::function<Environment(const Request& request)> environment;
  std::int64_t max_running = 256;  // the maximum number of commands that run at a time
  // Adapts the process limit to the number of running commands. Called before each start, with a number that includes
  // the new command, and after each end. If it returns an error before a start, the command is not started; an error
  // after an end is ignored.
  std::function<Status(std::size_t running)> make_room = [](std::size_t) { return done(); };
};

// The record of a command that was allowed.
struct Ended {
  std::vector<std::string> argv;  // argv[0] is the name
  Decision decision;
  std::int64_t started_us = 0, duration_us = 0;  // microseconds; `started_us` is a time of base::monotonic_us()
  // The exit status or the signal of the command. Neither is set if the command was killed at the end of the execution.
  std::optional<int> status, signal;
  // Why the command did not start; "" if it started. If the command did not start, neither status nor signal is set.
  std::string unstarted;
};

// Receives the events of the broker, on the slot's thread.
class Witness {
 public:
  virtual ~Witness() = default;
  virtual std::vector<std::string> masked(const std::vector<std::string>& argv) const = 0;  // masks secrets
  virtual void ended(const Ended& command) = 0;
  // Reports a command line that the rules do not allow, or whose command is not declared.
  virtual void refused(const std::vector<std::string>& argv, const Decision& decision) = 0;
  // Reports that a started command does not have a variable of its caller, or has the variable with another value.
  virtual void not_passed(const std::string& command, const NotPassed& variable) = 0;
  virtual void malformed(const Error& error) = 0;  // a request was refused because of its form
};

// Limit in bytes for the arguments of all running commands of an execution together. The broker keeps the arguments of
// a command until the command ends, and then passes them to Witness::ended().
inline constexpr std::size_t kMaxRunningBytes = 64u << 20;

class Broker {
 public:
  // `witness` must outlive this object.
  Broker(Door door, Config config, Witness& witness)
      : door_(std::move(door)), config_(std::move(config)), witness_(&witness) {}

  // on_readable() reads requests only after serve(); earlier requests wait in the socket. Call serve() when the holder
  // is ready. `holder` is the control socket of the holder (not owned), or -1 if no command is declared. With -1 the
  // broker refuses all requests.
  void serve(int holder) {
    serving_ = true;
    holder_ = holder;
  }
  int fd() const { return door_.fd(); }  // when it is readable, call on_readable()
  void on_readable();
  // Call it for each CommandEnded report of the holder.
  void ended(const init::Report& report);
  // Call it at the end of the execution: records the commands that were still running as killed.
  void all_ended();

 private:
  struct Running {
    std::vector<std::string> argv;
    Decision decision;
    std::int64_t started_us = 0;
    std::size_t bytes = 0;
  };

  void judge(Caller caller);
  void forget(std::map<std::uint64_t, Running>::iterator which, std::optional<int> status, std::optional<int> signal,
              std::string unstarted = "");
  void refuse_allowed(Caller caller, Decision decision, const std::string& why);
  Status start(std::size_t offer, const Caller& caller, std::uint64_t id);
  // If the command would exceed a limit, returns a text that names the limit; otherwise "".
  std::string too_much(const std::vector<std::string>& argv) const;
  std::optional<std::size_t> offer_of(const std::string& name) const;

  Door door_;
  Config config_;
  Witness* witness_;
  bool serving_ = false;
  int holder_ = -1;
  std::uint64_t next_id_ = 1;
  std::map<std::uint64_t, Running> running_;
  std::size_t running_bytes_ = 0;  // arguments of all running commands
};

}  // namespace band::broker
