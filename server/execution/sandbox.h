// One started view: bubblewrap, band-init as its pid 1, and the script. end() guarantees that all its processes are
// dead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/child.h"
#include "server/base/fd.h"
#include "server/execution/terminal.h"
#include "server/init/setup.h"
#include "server/slot/slot.h"
#include "server/view/bubblewrap.h"

namespace band::run {

// A pipe between the engine, whose end is non-blocking, and the sandbox, whose end the slot's uid owns.
struct Pipe {
  base::Fd read, write;
};
enum class Flows { In, Out };  // data flows into the sandbox, or out of it
Result<Pipe> slot_pipe(const slot::Slot& slot, Flows flows);

class Sandbox {
 public:
  // Descriptors 0 to 2 of the script. Default: /dev/null for reading and two pipes.
  struct Streams {
    base::Fd input;                    // descriptor 0: the read end of a pipe
    std::optional<Terminal> terminal;  // descriptors 0 to 2; take_stdout() returns its output
  };
  // Call it on the slot's thread. `stage_root` is a path in its mount namespace.
  static Result<Sandbox> start(const slot::Slot& slot, const std::string& stage_root,
                               view::Holds holds = view::Holds::Script, Streams streams = {});
  // For a process that is already started: `control`, `out` and `err` are the engine's ends of its control channel and
  // of the pipes from its stdout and stderr; `out` and `err` are non-blocking.
  Sandbox(base::Child bubblewrap, base::Fd control, base::Fd out, base::Fd err);

  int control() const { return control_.get(); }
  base::Fd take_stdout() { return std::move(stdout_); }
  base::Fd take_stderr() { return std::move(stderr_); }  // empty with a terminal
  base::Fd take_root() { return std::move(root_); }      // root of the view (O_PATH), after band-init's Ready report

  Status send_setup(const init::Setup& setup) const;     // may be called immediately: band-init reads it when it starts
  Status send_script(const init::Script& script) const;  // starts the script
  // Returns the next report. EOF (band-init exited without a report) is an error. Every field is validated: band-init
  // is part of band, but it runs in the same sandbox as the script.
  Result<init::Report> next_report();
  bool lives() const;                  // bubblewrap's first process has not exited
  bool gone() const { return gone_; }  // next_report() failed with EOF, or a reset (band-init died with unread orders)

  void terminate() const;  // SIGTERM to the script's process group
  // Closes the control channel for writing, kills pid 1 and with it everything in its pid namespace, and reaps
  // bubblewrap, which exits when pid 1 has been reaped. Returns false when that took longer than `ms` milliseconds: the
  // slot must not be used before a later call returns true. The destructor waits without a limit.
  bool end(int ms);
  void abandon() { bubblewrap_.abandon(); }  // the destructor does not wait

 private:
  Status send(std::string bytes) const;

  base::Child bubblewrap_;
  base::Fd control_, stdout_, stderr_;
  base::Fd init_, script_;  // pidfds of pid 1 and of the script
  base::Fd root_;
  bool gone_ = false;
};

}  // namespace band::run
