// The paths that a server closes to `read` and `write` by default; `ceiling` in server.yaml changes this.
#pragma once

namespace band {

// Each entry includes everything below it. A band can open only other places (`/opt`, `/srv`, `/usr`), into which
// operators put data for scripts.
inline constexpr const char* kClosedByDefault[] = {"/etc",  "/root", "/home", "/boot",   "/dev",
                                                   "/proc", "/sys",  "/run",  "/var/lib"};

}  // namespace band
