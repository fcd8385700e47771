// Runs a shell in place of the script of an execution. The shell is a separate process, because accesses by the process
// of the test would count as accesses by the server.
#pragma once

#include <fcntl.h>

#include <cstdlib>
#include <string>

#include "server/base/child.h"

namespace band::test {

// Runs `script` in the directory `place` and ignores its exit code. May be called in a forked child, where doctest's
// checks do not work.
inline void shell(const std::string& place, const std::string& script) {
  const base::Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  base::Spawn what;
  what.argv = {"/usr/bin/bash", "-c", "cd " + place + " || exit; " + script};
  what.env = {"PATH=/usr/bin"};
  what.fds = {null.get(), null.get(), null.get()};
  auto child = base::spawn(what);
  if (!child.ok() || !child->wait(60'000)) std::abort();
}

}  // namespace band::test
