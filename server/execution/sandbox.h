// The processes of one view: band-init, which is pid 1 of the view, and all others. A view is a set of namespaces, pid
// and mount among them, with a file tree of its own. band-init is cloned from the zygote (zygote.h). In a script view,
// band-init starts the script. In a command view, band-init is the holder, which starts the declared commands. When
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

// A pipe between the engine and a sandbox. The engine's end is non-blocking.
struct Pipe {
  base::Fd read, write;
};
enum class Flows { In, Out };  // In: the engine writes and the sandbox reads; Out: the reverse
// Makes a pipe. The slot's uid owns the end that the sandbox gets.
Result<Pipe> slot_pipe(const slot::Slot& slot, Flows flows);

class Sandbox {
 public:
  // Descriptors 0 to 2 of the script. By default descriptor 0 is /dev/null, and descriptors 1 and 2 are pipes to the
  // engine.
  struct Streams {
    base::Fd input;                    // the read end of a pipe, which becomes descriptor 0; empty: /dev/null
    std::optional<Terminal> terminal;  // becomes descriptors 0 to 2; take_stdout() returns the engine's end
  };
  // Sends the zygote an order to make a script view. `zygote`: Zygote::control(). `root`: a descriptor of the topmost
  // mount of the stage, the finished file tree of the view. Returns before band-init runs. Later band-init sends a
  // report (next_report()): Ready or Failed. Call start() on the slot's thread.
  static Result<Sandbox> start(int zygote, const slot::Slot& slot, int root, Streams streams = {});
  // Like start(), for a command view. Descriptors 0 to 2 of band-init are /dev/null.
  static Result<Sandbox> start_holder(int zygote, const slot::Slot& slot, int root);
  // The engine's ends of the channels of a view.
  struct Ends {
    base::Fd control;
    base::Fd script;    // script view: the write end of the pipe for the init::Script
    base::Fd out, err;  // the read ends of the pipes for stdout and stderr; with a terminal, `out` is the engine's end
  };
  // For start() and start_holder(), after they have sent the order. `script`, `out` and `err` must be non-blocking.
  explicit Sandbox(Ends ends);
  Sandbox(Sandbox&&) = default;
  Sandbox& operator=(Sandbox&& other) noexcept;
  ~Sandbox() { end(-1); }

  int control() const { return control_.get(); }
  base::Fd take_stdout() { return std::move(stdout_); }  // the engine's end of the pipe or of the terminal
  base::Fd take_stderr() { return std::move(stderr_); }  // empty if the script has a terminal
  base::Fd take_root() { return std::move(root_); }  // root of the view (O_PATH); empty before band-init's Ready report

  // Sends the settings of the view. May be called before band-init runs. If band-init has exited, returns no error;
  // next_report() then returns the reason.
  Status send_setup(const init::Setup& setup) const;
  // Starts the script. `script` contains its arguments and environment (server/init/setup.h). Call it once. The data
  // are sent through a pipe, which holds 64 KiB. If they are larger, call continue_script() each time when the
  // descriptor unsent_script() is writable, until unsent_script() returns -1.
  Status send_script(const init::Script& script);
  int unsent_script() const { return script_bytes_.empty() ? -1 : script_pipe_.get(); }
  Status continue_script();
  // Returns the next report of band-init. Blocks until a report arrives: call it when control() is readable. Returns an
  // error at EOF, that is, when band-init exited without a report. Validates every field of the report: band-init is a
  // program of band, but the script runs in the same sandbox and could take control of band-init. Returns an error also
  // for a Started report if the init::Script was not read completely from the pipe: the process that must execute the
  // script has then exited before exec(2).
  Result<init::Report> next_report();
  bool lives() const;  // returns true while band-init has not closed the control channel
  // Returns true when next_report() found that band-init has exited. next_report() finds this by EOF, or by ECONNRESET
  // if band-init had not read everything that the engine had sent.
  bool gone() const { return gone_; }

  // Sends SIGTERM to the script's process group; before Linux 6.9, only to the script's first process.
  void terminate() const;
  // Closes the control channel for writing and kills pid 1; the kernel then kills every other process of the pid
  // namespace. Waits until all these processes have exited, but not longer than `ms` milliseconds (-1: without a
  // limit). Returns false when this time was not sufficient; the slot must then not be used before another call of
  // end() returns true. The destructor calls end(-1).
  bool end(int ms);
  // After abandon(), the destructor neither kills processes nor waits. Use abandon() when the server is about to exit.
  void abandon();

 private:
  bool learn_init(std::int64_t until_us);
  bool script_was_read() const;
  void wipe_script();

  base::Fd control_, stdout_, stderr_;
  base::Fd script_pipe_;            // script view: open until the script has started, or its reader has exited
  std::string script_bytes_;        // the encoded script, until all of it is in the pipe; contains secrets
  std::size_t script_written_ = 0;  // how much of script_bytes_ is in the pipe
  bool script_sent_ = false;        // all of the script was written to the pipe
  bool awaits_start_ = false;       // script view: the script has not started
  base::Fd init_pidfd_, script_pidfd_;
  base::Fd root_;
  // The mount namespace of the view. While it is open, the kernel does not unmount the view's mounts when band-init
  // exits. Unmounting waits for all processors, and end() would wait with it.
  base::Fd mounts_;
  bool gone_ = false, ended_ = false;
};

}  // namespace band::run
