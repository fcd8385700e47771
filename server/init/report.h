// Reports of band-init to the engine. The exit of band-init ends its view.
#pragma once

#include <sys/resource.h>

#include <optional>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/init/setup.h"

namespace band::init {

[[noreturn]] void gone();  // exits with 0: after the last report, or when the engine has closed the control socket
// Sends a report with descriptors attached. Exits with gone() when it cannot be sent.
void report(const Report& message, const std::vector<int>& fds = {});
Report failure(const Error& error);  // makes a report of Kind::Failed
// Reads the report that a forked child wrote into its pipe of errors. Returns nullopt when exec closed the pipe
// without one.
std::optional<Report> failure_before_exec(const base::Fd& errors);
[[noreturn]] void fail(const Error& error);  // sends the error as a report and exits with 1, which ends the view

// Sets `signalled` and `code` from a status of wait4(2).
void note_death(int wait_status, Report& report);
std::uint64_t cpu_us_of(const rusage& usage);

}  // namespace band::init
