// The paths of the server's machine that a server denies to `read` and `write` by default; `ceiling` in server.yaml
// replaces this default.
#pragma once

namespace band {

// Each entry includes everything below this path. Bands can allow paths in other directories, such as /opt, /srv and
// /usr, where operators put data for scripts.
inline constexpr const char* kClosedByDefault[] = {"/etc",  "/root", "/home", "/boot",   "/dev",
                                                   "/proc", "/sys",  "/run",  "/var/lib"};

}  // namespace band
