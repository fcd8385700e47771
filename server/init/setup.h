// The messages between the engine and band-init, which is pid 1 of a view: setup, script, orders and reports.
//
// Engine -> init: the length of the encoded Setup and the Setup, immediately; then the length of the encoded Script and
// the Script, when everything is ready and the script may start. A holder receives StartCommands with descriptors
// instead. Init -> engine: Reports of a fixed size. The control socket is descriptor 3 of band-init (SOCK_STREAM). Its
// end of file means that the engine has closed it or exited; band-init then exits, which ends the view.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/result.h"
#include "server/landlock/landlock.h"
#include "server/limits/limits.h"
#include "server/privileges/privileges.h"
#include "server/syscalls/syscalls.h"

namespace band::init {

inline constexpr int kControlFd = 3;
inline constexpr std::size_t kMaxSetupBytes = 8 << 20;

// The inside layers, as the rules define them. They are applied before the script or command is known. A script view
// uses directory, landlock and terminal; a command view uses domains.
struct Setup {
  privileges::Ids ids;
  std::string directory;  // working directory of the script, as the view shows it; "" in a command view
  limits::Rlimits limits;
  landlock::Ruleset landlock;
  bool terminal = false;                   // descriptor 0 is a terminal and becomes the script's controlling terminal
  std::vector<landlock::Ruleset> domains;  // one per declared command; StartCommand::domain is an index into it
  syscalls::Filter filter;

  bool holds_commands() const { return !domains.empty(); }
};

std::string encode(const Setup& setup);
Result<Setup> decode(std::string_view bytes);

// The part of the setup that the request defines. argv[0] is the file to execute.
struct Script {
  std::vector<std::string> argv, env;
};
inline constexpr std::size_t kMaxScriptBytes = 8 << 20;

std::string encode(const Script& script);
Result<Script> decode_script(std::string_view bytes);

// Engine -> holder: run a command that the broker has allowed. Attached, in this order: the shim's connection, a memfd
// with the encoded Command, and the command's descriptors.
struct StartCommand {
  std::uint64_t id = 0;  // chosen by the broker; Report::id returns it
  std::uint32_t domain = 0;
  std::uint32_t reserved = 0;
};

struct Command {
  std::string directory;
  std::vector<std::string>
      argv;  // argv[0] is the file to execute; argv[1] and the following are the command's own argv[0] and arguments
  std::vector<std::string> env;
  std::uint64_t ignored = 0;  // bit N-1: the command starts with signal N ignored
  std::uint32_t umask = 022;
  std::vector<int> descriptors;  // the number of each attached descriptor, in this order; all others are closed
};
inline constexpr std::size_t kMaxCommandBytes = 16 << 20;

std::string encode(const Command& command);
Result<Command> decode_command(std::string_view bytes);

struct Report {
  enum class Kind : std::uint32_t {
    Ready = 1,         // /proc is mounted; waiting for the setup; attached: a pidfd of band-init, and the view's root
    Started = 2,       // the script runs; its pidfd is attached. Holder: ready for commands, no pidfd
    Failed = 3,        // the layer `layer` could not be set up; the script did not run
    Ended = 4,         // the script's first process ended
    CommandEnded = 5,  // the command `id` and all processes that it started have ended
  };
  std::uint32_t kind = 0;
  std::uint32_t signalled = 0;  // Ended, CommandEnded: 1 when a signal ended it
  std::uint32_t code = 0;       // Ended, CommandEnded: exit status or signal number; Failed: errno
  std::uint32_t reserved = 0;
  std::uint64_t id = 0;      // CommandEnded
  std::uint64_t cpu_us = 0;  // user and system time. Ended: process and reaped children; CommandEnded: all processes
  char layer[32] = {};       // Failed
  char text[208] = {};       // Failed: the step; CommandEnded: why the command was not started, "" when it was
};

// Returns the report when size and kind are valid, with NUL-terminated texts; otherwise an error of the layer "run".
Result<Report> decode_report(std::string_view bytes);

}  // namespace band::init
