#include "server/admin/unit.h"

#include <filesystem>

namespace band::admin {
namespace {

// One word of ExecStart: quoted, with systemd's own specifiers and variables switched off.
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

// What is not here, and why: everything of seccomp that a unit sets is inherited by the sandboxes, where it would break
// programs (MemoryDenyWriteExecute: node) or bubblewrap (ProtectHostname forbids its hostname). RestrictSUIDSGID makes
// openat2(2) ENOSYS, and without it no path is opened safely; scripts have that wall of their own.
// ProtectKernelTunables makes /proc/sys read-only, where the slots' network settings are. ProtectHome, ProtectSystem
// and PrivateTmp would hide or change what bands declare by absolute path.
std::string unit_text(const Paths& paths) {
  return "# Written by `band setup --target local`, which replaces it. For changes of your own:\n"
         "# systemctl edit band-server\n"
         "[Unit]\n"
         "Description=band: runs skills' scripts in sandboxes\n"
         "After=network.target\n"
         "\n"
         "[Service]\n"
         "# Started means: it listens, and its first slot has checked its layers.\n"
         "Type=notify\n"
         "ExecStart=" +
         quoted(paths.program) + " serve --config " + quoted(std::filesystem::absolute(paths.config)) +
         "\n"
         "Restart=on-failure\n"
         "RestartSec=1\n"
         "# The server ends its executions itself; what is left after it is killed.\n"
         "KillMode=mixed\n"
         "TimeoutStopSec=20\n"
         "# An execution that runs out of its memory is that execution's end, not the server's.\n"
         "OOMPolicy=continue\n"
         "# Executions have limits of their own.\n"
         "TasksMax=infinity\n"
         "LimitNOFILE=524288\n"
         "UMask=0022\n"
         "CapabilityBoundingSet=CAP_SYS_ADMIN CAP_NET_ADMIN CAP_NET_RAW CAP_SETUID CAP_SETGID CAP_SETPCAP CAP_KILL "
         "CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER CAP_SYS_PTRACE CAP_SYS_CHROOT CAP_SYS_RESOURCE CAP_NET_BIND_SERVICE\n"
         "# Mounts of the server go when it goes, kill -9 included.\n"
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
