// One started view: band-init as pid 1 of the view, and the other processes of the view. band-init is cloned from the
// zygote (zygote.h). In a script view, band-init starts the script; in a command view, band-init is the holder. When
// end() has returned true, all processes of the view are dead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/execution/terminal.h"
#include "server/init/setup.h"
#include "server/slot/slot.h"

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
  // Orders the sandbox of a script view; `root` is the topmost mount of the stage. Returns before band-init runs: its
  // Ready report, or its Failed report, follows. `zygote`: Zygote::control(). Call it on the slot's thread.
  static Result<Sandbox> start(int zygote, const slot::Slot& slot, int root, Streams streams = {});
  // Orders the sandbox of a command view. Descriptors 0 to 2 of band-init are /dev/null.
  static Result<Sandbox> start_holder(int zygote, const slot::Slot& slot, int root);
  // Use it when the order has been sent. `control`, `out` and `err` are the engine's ends of the control channel and of
  // the pipes from stdout and stderr. `out` and `err` are non-blocking.
  explicit Sandbox(base::Fd control, base::Fd out = {}, base::Fd err = {});
  Sandbox(Sandbox&&) = default;
  Sandbox& operator=(Sandbox&& other) noexcept;
  ~Sandbox() { end(-1); }

  int control() const { return control_.get(); }
  base::Fd take_stdout() { return std::move(stdout_); }
  base::Fd take_stderr() { return std::move(stderr_); }  // empty if the script has a terminal
  base::Fd take_root() { return std::move(root_); }  // root of the view (O_PATH); empty before band-init's Ready report

  Status send_setup(const init::Setup& setup) const;     // may be called before band-init runs
  Status send_script(const init::Script& script) const;  // starts the script
  // Returns the next report of band-init. EOF (band-init exited without a report) is an error. Every field is
  // validated: band-init is a program of band, but it runs in the same sandbox as the script, which could attack it.
  Result<init::Report> next_report();
  bool lives() const;  // returns true while band-init has not closed the control channel
  // Returns true when next_report() found that band-init has exited: EOF, or a reset if band-init left orders unread.
  bool gone() const { return gone_; }

  void terminate() const;  // sends SIGTERM to the script's process group
  // Closes the control channel for writing and kills pid 1; the kernel then kills every other process of the pid
  // namespace. Waits at most `ms` milliseconds until all of them have exited (-1: without a limit). Returns false when
  // this time was not sufficient: the slot must not be used before another call of end() returns true. The destructor
  // waits without a limit.
  bool end(int ms);
  void abandon();  // after it, the destructor does not wait

 private:
  Status send(std::string bytes) const;

  bool learn_init(std::int64_t until_us);

  base::Fd control_, stdout_, stderr_;
  base::Fd init_, script_;  // pidfds of pid 1 and of the script
  base::Fd root_;
  bool gone_ = false, ended_ = false;
};

}  // namespace band::run
