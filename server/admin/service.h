// Finds, starts and stops the server process of this machine.
//
// The server holds a record lock (fcntl(2) F_SETLK) on run_dir/server.pid until it exits. flock(2) is not used: every
// child process that inherits the descriptor would share the lock, and the kernel would not report the lock's holder.
// The pid in the file is not used for signals, because the file of a killed server remains. The commands open a pidfd
// of the process that the kernel reports as the holder of the lock, and then query the holder again. If the holder is
// still the same, its pid was not reused before the pidfd was opened, so the pidfd refers to the server. The commands
// send signals only through such a pidfd.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "schemas/core/result.h"
#include "server/admin/paths.h"
#include "server/base/fd.h"

namespace band::admin {

// ---- for `band-server serve` ----------------------------------------------------------------------------------------

// Called before `serve` starts any other process: makes run_dir, takes the lock, calls withdraw_port() for the files
// of an earlier server, and then writes the pid to pid_file(). Because of this order, an
// existing port file belongs to the running server if the pid file contains the pid of the lock's holder. Keep the
// returned descriptor until the process exits, and do not open pid_file() elsewhere in this process: closing any
// descriptor of that file releases the lock. Returns Code::Usage, with the holder's pid, when another server has the
// lock.
Result<base::Fd> claim(const Paths& paths);

// Locks the file `lock` in the state directory, because a server removes the floors of earlier servers in its
// state directory. Makes the directory if it does not exist. Keep the returned descriptor as that of claim(). Returns
// Code::Usage when a server with another run directory has the lock. Never blocks.
Result<base::Fd> claim_state(const Paths& paths);
// Returns the error of claim_state(), except when the server of paths.run_dir has the lock. Changes nothing.
Status state_free(const Paths& paths);

// Returns "DEVICE-INODE" of pid_file(), or "" when there is no such file. No two running servers of a machine have the
// same: claim() keeps the file open, so no other file gets its inode. The path of a run directory does not distinguish
// servers, because each can have a mount namespace of its own.
std::string instance(const Paths& paths);
// Returns true when the last server of this run directory was of a version that named its control groups
// former_group_name(). Call it before claim(). Such a server has not written groups_file().
bool former_server_ran(const Paths& paths);
std::string former_group_name(const Paths& paths);

// Called when the server listens: writes the digest Paths::source to source_file(), for running_source(), and then the
// port to port_file(), for `start` and for local clients. The content is the decimal number and a newline, the mode is
// 0644, and an old file is replaced by rename(2). If systemd started this process, notifies systemd that the service is
// ready (sd_notify(3)).
Status announce_port(const Paths& paths, std::uint16_t port);

// Removes port_file(), source_file() and tokens_file_in_force(). Called when the server stops, before it releases the
// lock, and by stop() when the server has exited, because a killed server does not remove these files.
void withdraw_port(const Paths& paths);

// Returns true when stderr is the file Paths::log; false when it is systemd's journal, a terminal, or a redirection by
// the caller.
bool logs_to_file(const Paths& paths);

// Limits the size of the log; the server calls it each second. Does nothing when logs_to_file() is false. If the log is
// larger than kMaxLogBytes, replaces the file <log>.1 by the last kMaxLogBytes of the log, and truncates the log to
// size 0. The log remains the same file, so child processes that have it open continue to write to it.
inline constexpr std::int64_t kMaxLogBytes = 8 << 20;
Status keep_log_small(const Paths& paths);

// ---- for the commands -----------------------------------------------------------------------------------------------

// Returns the process that holds the lock, as the kernel reports it; nullopt when no server runs. Returns an error when
// the process is in another pid namespace. Needs root, because the mode of the pid file is 0600.
Result<std::optional<pid_t>> holder(const Paths& paths);

// Returns the port that the running server has announced; nullopt when it has not yet announced one. When no server
// runs, or holder() returns an error, returns the configured port, Paths::port; nullopt when this is 0. Returns nullopt
// also when the run directory is unknown (Paths::why_no_run_dir).
std::optional<std::uint16_t> known_port(const Paths& paths);

// Returns the digest of the sources of the server that runs and has announced its port; "" when no such server runs, or
// when the server is older than source_file().
std::string running_source(const Paths& paths);

// Sends `signal` to the holder of the lock, through a pidfd as described above. Does nothing when the lock has no
// holder, or when the holder is in another pid namespace.
Status signal_holder(const Paths& paths, int signal);

// Starts `band-server serve --config FILE` unless a server runs. When paths.systemd and the unit exist, runs `systemctl
// start`, which returns when the server has called announce_port() or has failed. Otherwise starts a daemon (daemon.h)
// that writes to Paths::log. Then waits for up to 10 s until the server has announced its port and answers HTTP there.
// Returns the port. Returns Code::ServerUnreachable when the server fails or does not answer in time; the hint has the
// last lines of the log, or its location. A daemon that does not answer in time is killed.
Result<std::uint16_t> start(const Paths& paths, const Progress& progress);

// Stops the server and returns when it has exited. Where systemd runs and the unit exists, runs `systemctl stop` first.
// Then sends SIGTERM to the holder of the lock, if there still is one, and SIGKILL if it has not exited after 15 s.
// Returns an error when it has not exited 5 s after SIGKILL. When no server runs, only calls
// withdraw_port() for the files of a killed server.
Status stop(const Paths& paths, const Progress& progress);

}  // namespace band::admin
