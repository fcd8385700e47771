// Functions with which band-init sends reports (setup.h) to the engine. When band-init exits, its view ends.
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
void report_to(int control, const Report& message);  // as report(), on the socket `control`; ignores errors
Report failure(const Error& error);                  // returns a report of Kind::Failed
// Waits for a forked child process, which writes a report into the pipe `errors` if a step before exec fails. Returns
// this report. Returns nullopt when the pipe was closed without a report: exec has succeeded, or the process was
// killed.
std::optional<Report> failure_before_exec(const base::Fd& errors);
[[noreturn]] void fail(const Error& error);  // sends failure(error) and exits with 1

// Sets `signalled` and `code` of `report` from a status of wait4(2).
void note_death(int wait_status, Report& report);
std::uint64_t cpu_us_of(const rusage& usage);

}  // namespace band::init
