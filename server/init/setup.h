// What band-init is told to do, and what it reports: the messages between the engine and pid 1 of a view.
//
// Engine -> init: one encoded Setup behind its length, at once; then one encoded Script behind its length, when
// everything is ready and the script may start. A holder gets StartCommands with descriptors instead. Init -> engine:
// Reports of a fixed size. The control socket is descriptor 3 of band-init (SOCK_STREAM); its end of file means
// that the engine is gone, and ends the view.
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

// What follows from the rules: the inside layers, set up before it is known what runs behind them. Of a script view
// (directory, landlock, terminal), or of a command view (domains).
struct Setup {
  privileges::Ids ids;
  std::string directory;  // working directory of the script, as the view shows it; "" in a command view
  limits::Rlimits limits;
  landlock::Ruleset landlock;
  bool terminal = false;                   // descriptor 0 is one, and becomes the script's controlling terminal
  std::vector<landlock::Ruleset> domains;  // one a declared command; StartCommand names it by its place
  syscalls::Filter filter;

  bool holds_commands() const { return !domains.empty(); }
};

std::string encode(const Setup& setup);
Result<Setup> decode(std::string_view bytes);

// What the request brings. argv[0] is the file to execute.
struct Script {
  std::vector<std::string> argv, env;
};
inline constexpr std::size_t kMaxScriptBytes = 8 << 20;

std::string encode(const Script& script);
Result<Script> decode_script(std::string_view bytes);

// Engine -> holder: run a command that the broker has allowed. Attached, in this order: the shim's connection, a memfd
// with the encoded Command, and the command's descriptors.
struct StartCommand {
  std::uint64_t id = 0;  // the broker's, comes back in the report
  std::uint32_t domain = 0;
  std::uint32_t reserved = 0;
};

struct Command {
  std::string directory;
  std::vector<std::string>
      argv;  // argv[0] is the file to execute, what follows is the command's argv, its argv[0] first
  std::vector<std::string> env;
  std::uint64_t ignored = 0;  // bit N-1: signal N is to be ignored
  std::uint32_t umask = 022;
  std::vector<int> descriptors;  // the numbers of those that are attached, in this order; it has no others
};
inline constexpr std::size_t kMaxCommandBytes = 16 << 20;

std::string encode(const Command& command);
Result<Command> decode_command(std::string_view bytes);

struct Report {
  enum class Kind : std::uint32_t {
    Ready = 1,         // /proc is mounted; waiting for the setup; attached: a pidfd of band-init, and the view's root
    Started = 2,       // the script runs; a pidfd of it is attached
    Failed = 3,        // a layer could not be set up; text says which; nothing of the script ran
    Ended = 4,         // the script's first process ended
    CommandEnded = 5,  // a command and all that it started ended; id says which
  };
  std::uint32_t kind = 0;
  std::uint32_t signalled = 0;  // Ended, CommandEnded: by a signal
  std::uint32_t code = 0;       // Ended, CommandEnded: exit status or signal number; Failed: errno
  std::uint32_t reserved = 0;
  std::uint64_t id = 0;      // CommandEnded
  std::uint64_t cpu_us = 0;  // Ended: user and system time of it and what it waited for
  char layer[32] = {};       // Failed
  char text[208] = {};       // Failed; CommandEnded: why the command never ran
};

// A report as it came: of the right size, of a known kind, its texts ended. An error of the layer "run" otherwise.
Result<Report> decode_report(std::string_view bytes);

}  // namespace band::init
