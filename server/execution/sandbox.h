// One started view: bubblewrap, band-init as pid 1 of the view, and the script or the holder. When end() has returned
// true, all processes of the view are dead.
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

// A pipe between the engine and the sandbox. The engine's end is non-blocking; the slot's uid owns the sandbox's end.
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
    std::optional<Terminal> terminal;  // descriptors 0 to 2; take_stdout() then returns the engine's end
  };
  // Call it on the slot's thread. `stage_root` is a path in the slot's mount namespace.
  static Result<Sandbox> start(const slot::Slot& slot, const std::string& stage_root,
                               view::Holds holds = view::Holds::Script, Streams streams = {});
  // Use it when bubblewrap is already started. `control`, `out` and `err` are the engine's ends of the control channel
  // and of the pipes from stdout and stderr. `out` and `err` are non-blocking.
  Sandbox(base::Child bubblewrap, base::Fd control, base::Fd out, base::Fd err);

  int control() const { return control_.get(); }
  base::Fd take_stdout() { return std::move(stdout_); }
  base::Fd take_stderr() { return std::move(stderr_); }  // empty if the script has a terminal
  base::Fd take_root() { return std::move(root_); }      // view's root (O_PATH); empty before band-init's Ready report

  Status send_setup(const init::Setup& setup) const;     // may be called before band-init runs
  Status send_script(const init::Script& script) const;  // starts the script
  // Returns the next report of band-init. EOF (band-init exited without a report) is an error. Every field is
  // validated, because band-init is part of band but runs in the same sandbox as the script.
  Result<init::Report> next_report();
  bool lives() const;  // bubblewrap's first process has not exited
  // Returns true when next_report() found that band-init has exited: EOF, or a reset if band-init left orders unread.
  bool gone() const { return gone_; }

  void terminate() const;  // SIGTERM to the script's process group
  // Closes the control channel for writing, kills pid 1 and with it every process of its pid namespace, and reaps
  // bubblewrap, which exits when pid 1 has been reaped. Returns false when bubblewrap was not reaped after `ms`
  // milliseconds: the slot must not be used before another call of end() returns true. The destructor waits without a
  // limit.
  bool end(int ms);
  void abandon() { bubblewrap_.abandon(); }  // after it, the destructor does not wait

 private:
  Status send(std::string bytes) const;

  base::Child bubblewrap_;
  base::Fd control_, stdout_, stderr_;
  base::Fd init_, script_;  // pidfds of pid 1 and of the script
  base::Fd root_;
  bool gone_ = false;
};

}  // namespace band::run
