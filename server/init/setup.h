// The messages Setup, Script, StartCommand and Report: the first three from the engine to band-init and its child
// processes, the last in the opposite direction. band-init is pid 1 of a view. There are two kinds of views: the script
// view (the namespaces in which the script runs), and the command view (the namespaces in which its declared commands
// run). In a command view, band-init is called the holder (holder.h).
//
// Engine -> band-init: first the length of the encoded Setup, then the Setup. In a command view, the engine later sends
// StartCommands with descriptors.
// Engine -> the process that will execute the script: the length of the encoded Script, then the Script. The engine
// sends them when all parts of the sandbox are ready and the script may start. They are sent through a pipe that
// band-init has received with the order for the view (order.h). Only the process that will execute the script reads
// this pipe, so band-init never has the script's secrets.
// Band-init -> engine: Reports of a fixed size.
// The control socket is descriptor 3 of band-init (SOCK_STREAM). End of file means that the engine has closed the
// socket or exited; band-init then exits, which ends the view.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/result.h"
#include "server/landlock/landlock.h"
#include "server/limits/limits.h"
#include "server/privileges/privileges.h"

namespace band::init {

inline constexpr int kControlFd = 3;
inline constexpr std::size_t kMaxSetupBytes = 8 << 20;

// The settings of the inside layers: the restrictions that a process sets on itself before it executes the script or
// command (docs/architecture.md 3). In a script view, the process that will execute the script applies these layers
// before it receives the Script. In a command view, the holder loads the last seccomp filter, which its child processes
// inherit; each command gets the other layers after its StartCommand. `directory`, `landlock` and `terminal` are used
// only in a script view, `domains` only in a command view.
struct Setup {
  privileges::Ids ids;
  std::string directory;  // working directory of the script, a path in the view; "" in a command view
  limits::Rlimits limits;
  landlock::Ruleset landlock;
  bool terminal = false;  // descriptor 0 is a terminal and becomes the script's controlling terminal
  // The Landlock rules of each declared command. StartCommand::domain is an index into this list.
  std::vector<landlock::Ruleset> domains;

  bool holds_commands() const { return !domains.empty(); }
};

std::string encode(const Setup& setup);
Result<Setup> decode(std::string_view bytes);

// The arguments and the environment with which the script is executed. argv[0] is also the path of the file to execute.
struct Script {
  std::vector<std::string> argv, env;
};
inline constexpr std::size_t kMaxScriptBytes = 8 << 20;

std::string encode(const Script& script);
Result<Script> decode_script(std::string_view bytes);

// Engine -> holder: an order to run a command that the broker has allowed. An idle warden (a process that starts one
// command, warden.h) reads the order. The attached descriptors are, in this order, the connection to the shim (the
// program that the script started under the command's name), a memfd with the encoded Command, and the command's
// descriptors.
struct StartCommand {
  std::uint64_t id = 0;      // chosen by the broker; the report about this command has the same id
  std::uint32_t domain = 0;  // index into Setup::domains
  std::uint32_t reserved = 0;
};

struct Command {
  std::string directory;  // working directory, a path in the view
  // argv[0] is the file to execute. argv[1] and the following are the command's own argv[0] and arguments.
  std::vector<std::string> argv;
  std::vector<std::string> env;
  std::uint64_t ignored = 0;  // a bit mask; if bit N-1 is set, the command starts with signal N ignored
  std::uint32_t umask = 022;
  // The numbers of the descriptors in the command, in the order in which the descriptors are attached to StartCommand.
  // The command has no other descriptors.
  std::vector<int> descriptors;
};
inline constexpr std::size_t kMaxCommandBytes = 16 << 20;

std::string encode(const Command& command);
Result<Command> decode_command(std::string_view bytes);

struct Report {
  enum class Kind : std::uint32_t {
    // /proc is mounted, and band-init waits for the Setup. Attached: a pidfd of band-init, and the root and the mount
    // namespace of the view.
    Ready = 1,
    // Script view: the process for the script has executed the script, or was killed before. band-init cannot
    // distinguish the two cases. Therefore the engine examines whether the process has read the Script
    // (Sandbox::next_report()). Attached: a pidfd of this process.
    // Command view: the holder is ready for commands. Nothing is attached.
    Started = 2,
    Failed = 3,        // the layer `layer` could not be set up; script or commands do not run
    Ended = 4,         // the script's first process has ended
    CommandEnded = 5,  // the command `id` and all processes that it started have ended
  };
  std::uint32_t kind = 0;
  std::uint32_t signalled = 0;  // Ended, CommandEnded: 1 when the process was ended by a signal
  std::uint32_t code = 0;       // Ended, CommandEnded: exit status or signal number; Failed: errno
  std::uint32_t reserved = 0;
  std::uint64_t id = 0;  // CommandEnded: StartCommand::id of the command
  // User time plus system time. Ended: the time of the script's first process and of the child processes that this
  // process has reaped. CommandEnded: the time of all processes of the command.
  std::uint64_t cpu_us = 0;
  char layer[32] = {};  // Failed: the name of the layer that could not be set up
  char text[208] = {};  // Failed: the step that failed; CommandEnded: why the command was not started, or ""
};

// Returns the report if its size and kind are valid; `layer` and `text` are then NUL-terminated. Otherwise returns an
// error with the layer name "run".
Result<Report> decode_report(std::string_view bytes);

}  // namespace band::init
