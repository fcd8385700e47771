// The server as a process of this machine: who runs, starting it, stopping it.
//
// The server itself holds a record lock (fcntl(2) F_SETLK) on run_dir/server.pid for as long as it lives. Not flock(2):
// that lock would be shared with every child that inherited the descriptor, and the kernel would not tell who holds it.
// So the number in the file is for people only; band signals the process that the kernel names as the holder, by pidfd,
// after asking a second time. A stale file, or a recycled pid, is never signalled.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "schemas/core/result.h"
#include "server/admin/paths.h"
#include "server/base/fd.h"

namespace band::admin {

// ---- for `band-server serve` ----------------------------------------------------------------------------------------

// First thing of `serve`: makes run_dir, takes the lock, removes what an earlier server announced (port, tokens), and
// then writes the pid, so that who finds the holder's pid in the file finds nothing of that earlier server's. Keep
// the descriptor until the very end of the process, and never open pid_file() elsewhere in it: closing any descriptor
// of that file gives the lock up. Code::Usage when another server has it (with its pid).
Result<base::Fd> claim(const Paths& paths);

// Last thing before serving: tells `start` and local clients the port. Replaced whole, 0644, decimal and a newline.
// Then tells systemd, if that started us, that the service is up (sd_notify(3)).
Status announce_port(const Paths& paths, std::uint16_t port);

// On the way out, before the lock goes: removes the port file, and the tokens' one.
void withdraw_port(const Paths& paths);

// stderr is the daemon's log file: not systemd's journal, no terminal, nobody's redirection.
bool logs_to_file(const Paths& paths);

// Call it now and then (the server: each second): when stderr is the daemon's log file and over kMaxLogBytes, its
// content moves to <log>.1 (one generation is kept) and the file starts anew in place, so that children that share it
// go on writing to it. Does nothing under systemd or on a terminal.
inline constexpr std::int64_t kMaxLogBytes = 8 << 20;
Status keep_log_small(const Paths& paths);

// ---- for the commands -----------------------------------------------------------------------------------------------

// The process that holds the lock, as the kernel names it; nullopt: no server runs. Needs root, as the file is 0600.
Result<std::optional<pid_t>> holder(const Paths& paths);

// Where a server that runs listens, else where one would; nullopt: nobody knows.
std::optional<std::uint16_t> known_port(const Paths& paths);

// A signal to that process, if there is one: by pidfd, after asking a second time. One of another pid namespace gets
// none.
Status signal_holder(const Paths& paths, int signal);

// Starts `program serve --config FILE` unless a server runs: through systemd when paths.systemd and the unit exist,
// else as a daemon (own session, stdin /dev/null, stdout and stderr to the log). Waits for an HTTP answer on the
// announced port: up to 10 s, and before that under systemd as long as the unit's start may take. Error:
// Code::ServerUnreachable with the end of the log, or where it is.
Result<std::uint16_t> start(const Paths& paths, const Progress& progress);

// SIGTERM to the holder, then 15 s later SIGKILL; returns when the lock is free. Nothing runs: nothing is signalled,
// and what a killed server had announced is removed.
Status stop(const Paths& paths, const Progress& progress);

}  // namespace band::admin
