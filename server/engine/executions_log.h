// Where the lines about executions go: into the server's log, or, where that is a file that other lines could fill,
// into a file of their own, which rotates itself and keeps one older generation (NAME.1.log beside NAME.log).
#pragma once

#include <spdlog/logger.h>

#include <string>

#include "schemas/core/result.h"

namespace band::run {

inline constexpr std::size_t kMaxExecutionsLogBytes = 8 << 20;

// Before the first execution. `file` ends with ".log"; 0640.
Status open_executions_log(const std::string& file, std::size_t most_bytes = kMaxExecutionsLogBytes);

spdlog::logger& executions_log();

}  // namespace band::run
