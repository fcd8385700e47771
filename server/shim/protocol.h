// What a shim and the broker say to one another: a stream socket (unix(7)) at layout::kBroker, one connection a
// command.
//
//   shim   -> broker   RequestHead with the command's descriptors attached, then the body that it announces
//   shim   -> warden   one byte a signal, from kForwardedSignals
//   either -> shim     one AnswerHead, then its text; then the connection closes
//
// A script can speak this itself: whatever arrives is checked as if a stranger had sent it (server/broker/request.h).
// Numbers are in host order: both ends are on one kernel.
#pragma once

#include <signal.h>

#include <cstdint>

namespace band::shim {

inline constexpr std::uint32_t kMagic = 0x32687362;  // "bsh2"

// Descriptors of a command: 0 to 2, and some more of whatever numbers (bash's `<(...)` is 63, then 62 ...). Each costs
// the broker one of its own until the command has started.
inline constexpr std::uint32_t kMaxFurtherDescriptors = 16;
inline constexpr std::uint32_t kMaxDescriptors = 3 + kMaxFurtherDescriptors;
// Numbers are below this: no band's limit.maxOpenFiles is larger.
inline constexpr std::uint32_t kMostDescriptorNumbers = 1u << 20;

enum class Mode : std::uint32_t {
  Run = 1,
  NotFound = 2,  // bash's command_not_found_handle: nothing runs, the ledger hears of it
};

struct RequestHead {
  std::uint32_t magic = kMagic;
  Mode mode = Mode::Run;
  std::uint64_t ignored = 0;  // bit N-1: signal N is ignored (as a shell does for what it runs in the background)
  std::uint32_t descriptor_count = 0;
  std::uint32_t umask = 022;     // permission bits
  std::uint32_t name_bytes = 0;  // sizes of the body's parts, in this order; strings end with a NUL
  std::uint32_t directory_bytes = 0;
  std::uint32_t argv_bytes = 0;
  std::uint32_t env_bytes = 0;
  std::uint32_t descriptors[kMaxDescriptors] = {};  // their numbers, ascending; attached in this order
  std::uint32_t reserved = 0;
};
static_assert(sizeof(RequestHead) == 40 + 4 * (kMaxDescriptors + 1));  // no padding: it is sent as it is

// execve(2) takes argv and environment of a quarter of the stack's limit: 2 MiB, unless an administrator raised it.
inline constexpr std::uint32_t kMaxBodyBytes = 4u << 20;
// It also counts a pointer for each of them, so that of empty strings there cannot be millions.
inline constexpr std::uint32_t kMaxStrings = kMaxBodyBytes / 8;
inline constexpr std::uint32_t kMaxNameBytes = 256;
inline constexpr std::uint32_t kMaxDirectoryBytes = 4096;  // PATH_MAX

struct AnswerHead {
  enum class Kind : std::uint32_t {
    Exited = 1,     // code: exit status
    Signalled = 2,  // code: signal
    Refused = 3,    // code: 126 or 127; the text is for stderr
  };
  Kind kind = Kind::Exited;
  std::uint32_t code = 0;
  std::uint32_t text_bytes = 0;
};
inline constexpr std::uint32_t kMaxAnswerText = 4096;

// SIGTSTP (ctrl-Z): the command's process group is stopped with SIGSTOP, because the kernel ignores SIGTSTP in a group
// that has no parent in its session (setpgid(2), "orphaned"); then the shim stops itself, for its shell to see.
inline constexpr int kForwardedSignals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGUSR1, SIGUSR2,
                                            SIGTERM, SIGCONT, SIGTSTP, SIGWINCH};

// As a shell reports them.
inline constexpr int kCannotRun = 126, kNotFound = 127;

}  // namespace band::shim
