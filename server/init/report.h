// Functions with which band-init and the processes that it forks send reports (Report in setup.h) to the engine. When
// band-init, pid 1 of a view, exits, the kernel kills all processes of the view.
#pragma once

#include <sys/resource.h>

#include <optional>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/init/setup.h"

namespace band::init {

// Exits the calling process with 0. Call gone() after the last report, or when the engine has closed the control
// socket.
[[noreturn]] void gone();
// Sends a report, with `fds` attached, on the control socket (kControlFd). Calls gone() when the report cannot be sent.
void report(const Report& message, const std::vector<int>& fds = {});
// As report(), but on the socket `control` and without descriptors; ignores errors.
void report_to(int control, const Report& message);
// Returns a report of Kind::Failed with Error::layer (the mechanism of the sandbox that failed, docs/architecture.md
// 3), Error::doing (the step) and Error::err (the errno).
Report failure(const Error& error);
// `errors`: the read end of a pipe. A forked child process has the write end, which is close-on-exec, and writes a
// report into it if a step before exec fails. Waits until there is a report or the pipe is closed. Returns the report.
// Returns nullopt when the pipe was closed without a report: exec has succeeded, or the child process was killed.
std::optional<Report> failure_before_exec(const base::Fd& errors);
[[noreturn]] void fail(const Error& error);  // sends failure(error) and exits with 1

// Sets `signalled` and `code` of `report` from a status of wait4(2).
void note_death(int wait_status, Report& report);
// Returns user time plus system time, in microseconds.
std::uint64_t cpu_us_of(const rusage& usage);

}  // namespace band::init
