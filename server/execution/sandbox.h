// One started sandbox: bubblewrap, band-init inside, the script inside that; and the certainty that all of it is dead.
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

// Between the engine, whose end does not block, and the slot's uid.
struct Pipe {
  base::Fd read, write;
};
enum class Flows { In, Out };  // into the sandbox, or out of it
Result<Pipe> slot_pipe(const slot::Slot& slot, Flows flows);

class Sandbox {
 public:
  // Descriptors 0 to 2 of the script, where they are not /dev/null and two pipes.
  struct Streams {
    base::Fd input;                    // the reading end of a pipe
    std::optional<Terminal> terminal;  // all three; its output is take_stdout()
  };
  // On the slot's thread. `stage_root` is in its mount namespace.
  static Result<Sandbox> start(const slot::Slot& slot, const std::string& stage_root,
                               view::Holds holds = view::Holds::Script, Streams streams = {});
  // Of a process that has the other ends: of the control channel, and of pipes to its stdout and stderr, which do not
  // block.
  Sandbox(base::Child bubblewrap, base::Fd control, base::Fd out, base::Fd err);

  int control() const { return control_.get(); }
  base::Fd take_stdout() { return std::move(stdout_); }
  base::Fd take_stderr() { return std::move(stderr_); }  // empty with a terminal
  base::Fd take_root() { return std::move(root_); }      // of the view (O_PATH), when band-init is ready

  Status send_setup(const init::Setup& setup) const;     // at once: band-init reads it when it is there
  Status send_script(const init::Script& script) const;  // when it may start
  // The next report; end of file (band-init is gone without a word) is an error. Everything in it is checked: band-init
  // is ours, but it runs where the script runs.
  Result<init::Report> next_report();
  bool lives() const;                  // bubblewrap's first process has not ended
  bool gone() const { return gone_; }  // that error was the end of file, or a reset: it died with orders unread

  void terminate() const;  // SIGTERM to the script's process group
  // Says no more on the control channel, kills pid 1 and with it everything in its pid namespace, and reaps bubblewrap,
  // which ends when pid 1 has been reaped. False when that took longer than `ms`: the slot must not be used before a
  // later call returns true. The destructor waits without a limit.
  bool end(int ms);
  void abandon() { bubblewrap_.abandon(); }  // the destructor does not wait

 private:
  Status send(std::string bytes) const;

  base::Child bubblewrap_;
  base::Fd control_, stdout_, stderr_;
  base::Fd init_, script_;  // pidfds
  base::Fd root_;
  bool gone_ = false;
};

}  // namespace band::run
