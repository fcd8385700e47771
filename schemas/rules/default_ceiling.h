// The paths of the server's machine that a server denies to `read` and `write` by default; `ceiling` in server.yaml
// replaces this default.
#pragma once

namespace band {

// Each entry includes everything below this path. Bands can allow paths in other directories, such as /opt, /srv and
// /usr, where operators put data for scripts.
inline constexpr const char* kClosedByDefault[] = {"/etc",  "/root", "/home", "/boot",   "/dev",
                                                   "/proc", "/sys",  "/run",  "/var/lib"};

// Files below these directories that programs read to learn about the machine, without the first `/`. A sandbox does
// not have them.
inline constexpr const char* kMachineFacts[] = {
    "proc/meminfo",   "proc/cpuinfo",    "proc/loadavg",       "proc/uptime",    "proc/stat",    "proc/version",
    "etc/os-release", "etc/lsb-release", "etc/debian_version", "etc/machine-id", "etc/timezone", "etc/localtime"};

}  // namespace band
