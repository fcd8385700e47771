// What a server closes to `read` and `write` until its operator says otherwise (server.yaml, `ceiling`).
#pragma once

namespace band {

// Each with everything below it. Of the machine only what an operator put elsewhere (`/opt`, `/srv`, `/usr`) can be
// opened by a band.
inline constexpr const char* kClosedByDefault[] = {"/etc",  "/root", "/home", "/boot",   "/dev",
                                                   "/proc", "/sys",  "/run",  "/var/lib"};

}  // namespace band
