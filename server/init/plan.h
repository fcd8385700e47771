// What band-init is told to do, and what it reports: the messages between the engine and pid 1 of a view.
//
// Engine -> init: one encoded Plan behind its length. Init -> engine: Reports of a fixed size. The control socket is
// descriptor 3 of band-init (SOCK_STREAM); its end of file means that the engine is gone, and ends the view.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/result.h"
#include "server/landlock/landlock.h"
#include "server/limits/limits.h"
#include "server/privileges/privileges.h"
#include "server/syscalls/syscalls.h"

namespace band::init {

inline constexpr int kControlFd = 3;
inline constexpr std::size_t kMaxPlanBytes = 8 << 20;

struct Plan {
  privileges::Ids ids;
  std::string directory;  // working directory, as the view shows it
  std::vector<std::string> argv, env;
  limits::Plan limits;
  landlock::Plan landlock;
  syscalls::Filter filter;
};

std::string encode(const Plan& plan);
Result<Plan> decode(std::string_view bytes);

struct Report {
  enum class Kind : std::uint32_t {
    Ready = 1,    // /proc is mounted; waiting for the plan; a pidfd of band-init is attached
    Started = 2,  // the script runs; a pidfd of it is attached
    Failed = 3,   // a layer could not be set up; text says which; nothing of the script ran
    Ended = 4,    // the script's first process ended
  };
  std::uint32_t kind = 0;
  std::uint32_t signalled = 0;  // Ended: by a signal
  std::uint32_t code = 0;       // Ended: exit status or signal number; Failed: errno
  std::uint32_t reserved = 0;
  std::uint64_t cpu_us = 0;  // Ended: user and system time of it and what it waited for
  char layer[32] = {};       // Failed
  char text[216] = {};       // Failed
};

}  // namespace band::init
