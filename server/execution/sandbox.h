// One started view: bubblewrap, band-init as pid 1 of the view, and the other processes of the view. In a script view,
// band-init starts the script; in a command view, band-init is the holder. When end() has returned true, all processes
// of the view are dead.
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

// A pipe between the engine and a sandbox. The engine's end is non-blocking; the slot's uid owns the sandbox's end.
struct Pipe {
  base::Fd read, write;
};
enum class Flows { In, Out };  // data flows into the sandbox, or out of it
Result<Pipe> slot_pipe(const slot::Slot& slot, Flows flows);

class Sandbox {
 public:
  // Descriptors 0 to 2 of the script. By default descriptor 0 is /dev/null, and 1 and 2 are pipes.
  struct Streams {
    base::Fd input;                    // descriptor 0: the read end of a pipe
    std::optional<Terminal> terminal;  // replaces descriptors 0 to 2; take_stdout() then returns its engine's end
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
  base::Fd take_root() { return std::move(root_); }  // root of the view (O_PATH); empty before band-init's Ready report

  Status send_setup(const init::Setup& setup) const;     // may be called before band-init runs
  Status send_script(const init::Script& script) const;  // starts the script
  // Returns the next report of band-init. EOF (band-init exited without a report) is an error. Every field is
  // validated: band-init is a program of band, but it runs in the same sandbox as the script, which could attack it.
  Result<init::Report> next_report();
  bool lives() const;  // returns true while the bubblewrap process that start() started has not exited
  // Returns true when next_report() found that band-init has exited: EOF, or a reset if band-init left orders unread.
  bool gone() const { return gone_; }

  void terminate() const;  // sends SIGTERM to the script's process group
  // Closes the control channel for writing and kills pid 1; the kernel then kills every other process of the pid
  // namespace. Waits at most `ms` milliseconds for bubblewrap, which exits when pid 1 has been reaped, and reaps it.
  // Returns false when this time was not sufficient: the slot must not be used before another call of end() returns
  // true. The destructor waits without a limit.
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
