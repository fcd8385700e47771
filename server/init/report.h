// Sends the reports (setup.h) of band-init to the engine. When band-init exits, its view ends.
#pragma once

#include <sys/resource.h>

#include <optional>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/init/setup.h"

namespace band::init {

// Exits with 0. Call it after the last report, or when the engine has closed the control socket.
[[noreturn]] void gone();
// Sends a report with descriptors attached. Calls gone() when the report cannot be sent.
void report(const Report& message, const std::vector<int>& fds = {});
void report_to(int control, const Report& message);  // a report that cannot be sent is ignored
Report failure(const Error& error);                  // returns a report of Kind::Failed
// Reads the report that a forked child process wrote into its pipe `errors`. Returns nullopt when the pipe was closed
// without a report: exec has then succeeded.
std::optional<Report> failure_before_exec(const base::Fd& errors);
[[noreturn]] void fail(const Error& error);  // Sends the error as a report and exits with 1, which ends the view.

// Sets `signalled` and `code` from a status of wait4(2).
void note_death(int wait_status, Report& report);
std::uint64_t cpu_us_of(const rusage& usage);

}  // namespace band::init
