#include "server/admin/unit.h"

#include <filesystem>

namespace band::admin {
namespace {

// One word of ExecStart: quoted; systemd's specifiers and variables are escaped.
std::string quoted(const std::string& word) {
  std::string text = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') text += '\\';
    if (c == '%' || c == '$') text += c;
    text += c;
  }
  return text + "\"";
}

}  // namespace

// Some settings are left out deliberately. The sandboxes would inherit every seccomp setting of the unit. There it
// would break programs (MemoryDenyWriteExecute: node) or bubblewrap (ProtectHostname forbids its hostname).
// RestrictSUIDSGID makes openat2(2) fail with ENOSYS, but the server needs openat2(2) to open paths safely; scripts
// have their own layer against setuid files. ProtectKernelTunables makes /proc/sys read-only, but the server sets the
// slots' network settings there. ProtectHome, ProtectSystem and PrivateTmp would hide or change paths that bands
// declare.
std::string unit_text(const Paths& paths) {
  return "# Written by `band setup --target local`, which replaces this file. For your own changes:\n"
         "# systemctl edit band-server\n"
         "[Unit]\n"
         "Description=band: runs scripts of skills in sandboxes\n"
         "After=network.target\n"
         "\n"
         "[Service]\n"
         "# Ready means: the server listens, and its first slot has passed its self-check.\n"
         "Type=notify\n"
         "ExecStart=" +
         quoted(paths.program) + " serve --config " + quoted(std::filesystem::absolute(paths.config)) +
         "\n"
         "Restart=on-failure\n"
         "RestartSec=1\n"
         "# The server ends its executions itself; processes that are left afterwards are killed.\n"
         "KillMode=mixed\n"
         "TimeoutStopSec=20\n"
         "# An execution that exceeds its memory limit ends; the server continues.\n"
         "OOMPolicy=continue\n"
         "# Each execution has its own limits.\n"
         "TasksMax=infinity\n"
         "LimitNOFILE=524288\n"
         "UMask=0022\n"
         "CapabilityBoundingSet=CAP_SYS_ADMIN CAP_NET_ADMIN CAP_NET_RAW CAP_SETUID CAP_SETGID CAP_SETPCAP CAP_KILL "
         "CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER CAP_SYS_PTRACE CAP_SYS_CHROOT CAP_SYS_RESOURCE CAP_NET_BIND_SERVICE\n"
         "# The server's mounts are removed when it exits, also after kill -9.\n"
         "PrivateMounts=yes\n"
         "ProtectKernelLogs=yes\n"
         "ProtectKernelModules=yes\n"
         "RestrictRealtime=yes\n"
         "LockPersonality=yes\n"
         "SystemCallArchitectures=native\n"
         "\n"
         "[Install]\n"
         "WantedBy=multi-user.target\n";
}

}  // namespace band::admin
