// The broker of one execution: it hears what shims ask, decides, has the holder run what is allowed, and knows how each
// command ended.
//
// Promises: a command runs only if the rules allow its name and arguments; deny wins; nothing that a shim says but
// arguments, working directory, and values of variables that the band leaves to the script reaches the command; no data
// of a command passes through here.
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

// A declared command as it is started.
struct Offer {
  std::string name;  // of its shim
  std::vector<std::string>
      start;  // the file to execute; of an interpreter's script also what stands before its arguments
};

struct Config {
  CommandRules rules;
  std::vector<Offer> offers;  // the place of each is that of its domain in the holder's plan
  struct Environment {
    std::vector<std::string> variables;  // NAME=VALUE
    std::vector<NotPassed> not_passed;   // of the caller's
  };
  std::function<Environment(const Request& request)> environment;  // of an offered command
  std::int64_t max_running = 256;
  // Told before each start and after each end: how many commands run then.
  std::function<Status(std::size_t running)> make_room = [](std::size_t) { return done(); };
};

// What there is to know of a command that was allowed.
struct Ended {
  std::vector<std::string> argv;  // argv[0] is the name
  Decision decision;
  std::int64_t started_us = 0, duration_us = 0;  // monotonic
  std::optional<int> status, signal;             // how it ended by itself; neither: it was killed with the execution
  std::string unstarted;                         // why it was allowed and never ran: then there is neither
};

// Who is told. On the slot's thread.
class Witness {
 public:
  virtual ~Witness() = default;
  virtual std::vector<std::string> masked(const std::vector<std::string>& argv) const = 0;  // without secrets
  virtual void ended(const Ended& command) = 0;
  virtual void refused(const std::vector<std::string>& argv, const Decision& decision) = 0;
  // A command that was started does not have this variable as its caller has it.
  virtual void not_passed(const std::string& command, const NotPassed& variable) = 0;
  virtual void malformed(const Error& error) = 0;
};

// Arguments of all running commands of an execution: they are kept until the end, for the ledger and insist.
inline constexpr std::size_t kMaxRunningBytes = 64u << 20;

class Broker {
 public:
  Broker(Door door, Config config, Witness& witness)
      : door_(std::move(door)), config_(std::move(config)), witness_(&witness) {}

  // From now on shims are heard. `holder`: the control socket of the command view's band-init, which is ready; -1 when
  // nothing is declared, and all that there is to say is that.
  void serve(int holder) {
    serving_ = true;
    holder_ = holder;
  }
  int fd() const { return door_.fd(); }  // readable: call on_readable()
  void on_readable();
  void ended(const init::Report& report);
  // Those that still run when the execution is over have been killed.
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
  void turn_away(Caller caller, Decision decision, const std::string& why);
  Status start(std::size_t offer, const Caller& caller, std::uint64_t id);
  std::string too_much(const std::vector<std::string>& argv) const;  // empty: it may run
  std::optional<std::size_t> offer_of(const std::string& name) const;

  Door door_;
  Config config_;
  Witness* witness_;
  bool serving_ = false;
  int holder_ = -1;
  std::uint64_t next_id_ = 1;
  std::map<std::uint64_t, Running> running_;
  std::size_t running_bytes_ = 0;  // of their arguments
};

}  // namespace band::broker
