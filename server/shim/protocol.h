// The protocol by which a shim requests a command from the broker. The shim is the program that the script starts under
// the command's name. The broker (server/broker) compares the command line with the rules; if they allow it, a warden
// (server/init/warden.h) starts the command and serves the connection from then on. The connection is a stream socket
// (unix(7)) at layout::kBroker, one connection per command.
//
//   shim -> broker              RequestHead with the command's descriptors attached, then the body, whose sizes are in
//                               the head
//   shim -> warden              the number of each signal of kForwardedSignals that the shim receives, as one byte
//   broker or warden -> shim    one AnswerHead and its text; then the sender closes the connection
//
// A script can connect to the broker without a shim; therefore every request is checked as untrusted input
// (server/broker/request.h). Numbers are in host byte order, because both processes run on the same machine.
#pragma once

#include <signal.h>

#include <cstdint>

namespace band::shim {

inline constexpr std::uint32_t kMagic = 0x32687362;  // "bsh2"

// Descriptors of a command: 0 to 2, and further descriptors with other numbers (bash uses 63, then 62 ... for
// `<(...)`). The broker holds a copy of each descriptor until the command has started.
inline constexpr std::uint32_t kMaxFurtherDescriptors = 16;
inline constexpr std::uint32_t kMaxDescriptors = 3 + kMaxFurtherDescriptors;
// Each descriptor number of a command is less than this number, which is the maximum of limit.maxOpenFiles.
inline constexpr std::uint32_t kMostDescriptorNumbers = 1u << 20;

enum class Mode : std::uint32_t {
  Run = 1,
  NotFound = 2,  // sent by bash's command_not_found_handle: the ledger records the name, and no command is started
};

struct RequestHead {
  std::uint32_t magic = kMagic;
  Mode mode = Mode::Run;
  std::uint64_t ignored = 0;  // bit N-1: the command starts with signal N ignored (shells do this for background jobs)
  std::uint32_t descriptor_count = 0;
  std::uint32_t umask = 022;  // permission bits
  // The sizes of the body's four parts, in this order. Each string in the body ends with a NUL.
  std::uint32_t name_bytes = 0;
  std::uint32_t directory_bytes = 0;
  std::uint32_t argv_bytes = 0;
  std::uint32_t env_bytes = 0;
  // The numbers of the command's descriptors, ascending. The attached descriptors have the same order.
  std::uint32_t descriptors[kMaxDescriptors] = {};
  std::uint32_t reserved = 0;
};
// No padding, because the head is sent as raw bytes.
static_assert(sizeof(RequestHead) == 40 + 4 * (kMaxDescriptors + 1));

// execve(2) accepts argv and environment together up to a quarter of the stack limit (RLIMIT_STACK), with the default
// limit of 8 MiB up to 2 MiB. The body may have twice this size, so that every command line that execve(2) accepts by
// default fits.
inline constexpr std::uint32_t kMaxBodyBytes = 4u << 20;
// The maximum number of strings in the body. execve(2) also counts the pointer to each string, which has 8 bytes. So it
// accepts no more strings than this, even if all strings are empty.
inline constexpr std::uint32_t kMaxStrings = kMaxBodyBytes / 8;
inline constexpr std::uint32_t kMaxNameBytes = 256;
inline constexpr std::uint32_t kMaxDirectoryBytes = 4096;  // PATH_MAX

struct AnswerHead {
  enum class Kind : std::uint32_t {
    Exited = 1,     // code: exit status
    Signalled = 2,  // code: signal
    Refused = 3,    // code: the exit status, 126 or 127; the shim writes the text to stderr
  };
  Kind kind = Kind::Exited;
  std::uint32_t code = 0;
  std::uint32_t text_bytes = 0;
};
inline constexpr std::uint32_t kMaxAnswerText = 4096;

// The signals that the shim sends on to the warden, which sends them to the command.
//
// Exception: for SIGTSTP (ctrl-Z) the warden sends SIGSTOP to the command's process group. Each command starts a
// session of its own, so its process group is orphaned: no process in the group has a parent in another group of the
// same session (setpgid(2)). The kernel ignores SIGTSTP in an orphaned group. The shim also stops itself, so that the
// shell that started the shim detects the stop.
inline constexpr int kForwardedSignals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGUSR1, SIGUSR2,
                                            SIGTERM, SIGCONT, SIGTSTP, SIGWINCH};

// The exit codes that shells use.
inline constexpr int kCannotRun = 126, kNotFound = 127;

}  // namespace band::shim
