// What band-init says to the engine; and how it ends, which ends its view.
#pragma once

#include <sys/resource.h>

#include <optional>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/init/setup.h"

namespace band::init {

[[noreturn]] void gone();  // the engine is gone, or all is said
void report(const Report& message, const std::vector<int>& fds = {});
Report failure(const Error& error);  // of Kind::Failed
// What a forked child wrote into its pipe of errors; nullopt when exec has closed its end without a word.
std::optional<Report> failure_before_exec(const base::Fd& errors);
[[noreturn]] void fail(const Error& error);  // reports it and ends the view

// How a process died, as wait4(2) gives it.
void note_death(int wait_status, Report& report);
std::uint64_t cpu_us_of(const rusage& usage);

}  // namespace band::init
