// Finds, starts and stops the server process of this machine.
//
// The server holds a record lock (fcntl(2) F_SETLK) on run_dir/server.pid until it exits. flock(2) is not used: every
// child process that inherits the descriptor would share the lock, and the kernel would not report the lock's holder.
// The pid in the file is not used for signals. The commands open a pidfd of the process that the kernel reports as the
// holder of the lock, query the holder again, and signal through the pidfd. They therefore never signal a pid from a
// stale file, or a recycled pid.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "schemas/core/result.h"
#include "server/admin/paths.h"
#include "server/base/fd.h"

namespace band::admin {

// ---- for `band-server serve` ----------------------------------------------------------------------------------------

// First step of `serve`: makes run_dir, takes the lock, removes port_file() and tokens_file_in_force() of an earlier
// server, and then writes the pid. When the pid file contains the pid of the lock's holder, the old port file is
// therefore already removed, and an existing port file is that of the running server. Keep the returned descriptor
// until the process exits, and do not open pid_file() elsewhere in this process: closing any descriptor of that file
// releases the lock. Returns Code::Usage, with the holder's pid, when another server has the lock.
Result<base::Fd> claim(const Paths& paths);

// Last step before serving: writes the port to port_file(), for `start` and local clients (decimal and a newline, mode
// 0644, replaced in one step). If systemd started this process, notifies systemd that the service is ready
// (sd_notify(3)).
Status announce_port(const Paths& paths, std::uint16_t port);

// Called before the lock is released: removes port_file() and tokens_file_in_force().
void withdraw_port(const Paths& paths);

// Returns true when stderr is the file Paths::log; false when it is systemd's journal, a terminal, or a redirection by
// the caller.
bool logs_to_file(const Paths& paths);

// Limits the size of the log; the server calls it each second. When stderr is the file Paths::log and is larger than
// kMaxLogBytes, moves the last kMaxLogBytes of the file to <log>.1 (one generation is kept) and truncates the file in
// place, so that child processes continue to write to the same file. Does nothing when logs_to_file() is false.
inline constexpr std::int64_t kMaxLogBytes = 8 << 20;
Status keep_log_small(const Paths& paths);

// ---- for the commands -----------------------------------------------------------------------------------------------

// Returns the process that holds the lock, as the kernel reports it; nullopt when no server runs. Needs root, because
// the mode of the pid file is 0600.
Result<std::optional<pid_t>> holder(const Paths& paths);

// Returns the port of the running server. When no server runs, returns the configured port. Returns nullopt when the
// port is not known.
std::optional<std::uint16_t> known_port(const Paths& paths);

// Sends `signal` to the holder of the lock, if there is one, through a pidfd as described above. Does nothing when the
// holder is in another pid namespace.
Status signal_holder(const Paths& paths, int signal);

// Starts `band-server serve --config FILE` unless a server runs: through systemd when paths.systemd and the unit exist,
// otherwise as a daemon (session of its own, stdin /dev/null, stdout and stderr to the log). Under systemd, first waits
// until systemd has started the unit. Then waits for up to 10 s for an HTTP answer on the announced port. Returns the
// port. Error: Code::ServerUnreachable, with the last lines of the log or the location of the log.
Result<std::uint16_t> start(const Paths& paths, const Progress& progress);

// Sends SIGTERM to the holder of the lock and, if it has not exited after 15 s, SIGKILL. Returns when the lock is free.
// When no server runs, only removes port_file() and tokens_file_in_force() of a killed server.
Status stop(const Paths& paths, const Progress& progress);

}  // namespace band::admin
