// The server as a process of this machine: finds the running one, starts it, stops it.
//
// The server holds a record lock (fcntl(2) F_SETLK) on run_dir/server.pid until it exits. Not flock(2): every child
// that inherits the descriptor would share that lock, and the kernel would not report its holder. The pid in the file
// is for users only. band signals the process that the kernel reports as the holder, by pidfd, and queries the holder
// again after opening the pidfd. It therefore never signals the pid of a stale file, or a recycled pid.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "schemas/core/result.h"
#include "server/admin/paths.h"
#include "server/base/fd.h"

namespace band::admin {

// ---- for `band-server serve` ----------------------------------------------------------------------------------------

// First step of `serve`: makes run_dir, takes the lock, removes the files that an earlier server announced (port,
// tokens), and then writes the pid; when the file has the holder's pid, the earlier files are removed. Keep the
// descriptor until the process exits, and never open pid_file() elsewhere in it: closing any descriptor of that file
// releases the lock. Code::Usage when another server has it (with its pid).
Result<base::Fd> claim(const Paths& paths);

// Last step before serving: writes the port for `start` and local clients: replaced in one step, 0644, decimal and a
// newline. If systemd started the process, notifies it that the service is ready (sd_notify(3)).
Status announce_port(const Paths& paths, std::uint16_t port);

// Called before the lock is released: removes the port file and the file of the loaded tokens.
void withdraw_port(const Paths& paths);

// Returns true when stderr is the daemon's log file: not systemd's journal, a terminal, or a redirection of the caller.
bool logs_to_file(const Paths& paths);

// Call it regularly (the server: each second). When stderr is the daemon's log file and larger than kMaxLogBytes, moves
// its last kMaxLogBytes to <log>.1 (one generation is kept) and truncates the file in place, so that children that
// share it continue to write to it. Does nothing under systemd or on a terminal.
inline constexpr std::int64_t kMaxLogBytes = 8 << 20;
Status keep_log_small(const Paths& paths);

// ---- for the commands -----------------------------------------------------------------------------------------------

// Returns the process that holds the lock, as the kernel reports it; nullopt: no server runs. Needs root, as the file
// is 0600.
Result<std::optional<pid_t>> holder(const Paths& paths);

// Returns the port of the running server, otherwise the configured port; nullopt when neither is known.
std::optional<std::uint16_t> known_port(const Paths& paths);

// Sends `signal` to the holder, if there is one: by pidfd, after querying the holder again. Does nothing when the
// holder is in another pid namespace.
Status signal_holder(const Paths& paths, int signal);

// Starts `program serve --config FILE` unless a server runs: through systemd when paths.systemd and the unit exist,
// otherwise as a daemon (own session, stdin /dev/null, stdout and stderr to the log). Waits for an HTTP answer on the
// announced port: up to 10 s, and under systemd also for the start of the unit. Error: Code::ServerUnreachable with the
// end of the log, or its location.
Result<std::uint16_t> start(const Paths& paths, const Progress& progress);

// Sends SIGTERM to the holder and, 15 s later, SIGKILL; returns when the lock is free. When no server runs, only
// removes the files that a killed server had announced.
Status stop(const Paths& paths, const Progress& progress);

}  // namespace band::admin
