// The references for comparison: a program that is started directly, and a program that is started in bubblewrap
// without band, with the floor of band's sandboxes.
#pragma once

#include <fcntl.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/child.h"
#include "server/base/fd.h"

namespace band::bench {

inline Status run_program(const std::vector<std::string>& argv, int ms = 10'000) {
  base::Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  std::vector<std::string> env = {"PATH=/usr/bin", "HOME=/tmp"};
  if (const char* config = std::getenv("BAND_CONFIG_DIR")) env.push_back(std::string("BAND_CONFIG_DIR=") + config);
  BAND_TRY(base::Child child, base::spawn({argv, env, {null.get(), null.get(), 2}}));
  const auto exit = child.wait(ms);
  if (!exit || exit->signalled || exit->code != 0) return layer_error("bench", argv[0] + " failed", 0);
  return done();
}

inline std::vector<std::string> bare_bwrap(const std::string& floor) {
  return {"/usr/bin/bwrap",
          "--ro-bind",
          floor + "/usr",
          "/usr",
          "--ro-bind",
          floor + "/etc",
          "/etc",
          "--symlink",
          "usr/lib",
          "/lib",
          "--symlink",
          "usr/lib64",
          "/lib64",
          "--symlink",
          "usr/bin",
          "/bin",
          "--proc",
          "/proc",
          "--dev",
          "/dev",
          "--tmpfs",
          "/tmp",
          "--unshare-pid",
          "--unshare-ipc",
          "--unshare-uts",
          "--",
          "/usr/bin/bash",
          "-c",
          "echo {} > /tmp/out"};
}

}  // namespace band::bench
