// The log with one line for each execution. By default these lines are in the server's log. open_executions_log() moves
// them to a separate file, so that other lines of the server's log cannot displace them. A file NAME.log that has
// reached its maximum size is renamed to NAME.1.log and replaces the previous NAME.1.log.
#pragma once

#include <spdlog/logger.h>

#include <string>

#include "schemas/core/result.h"

namespace band::run {

inline constexpr std::size_t kMaxExecutionsLogBytes = 8 << 20;

// Call it before the first execution. `file` must end with ".log". It is created if it does not exist, and gets mode
// 0640. `most_bytes` is its maximum size.
Status open_executions_log(const std::string& file, std::size_t most_bytes = kMaxExecutionsLogBytes);

// Returns the logger for these lines: that of open_executions_log() or, without such a call, that of the server's log.
spdlog::logger& executions_log();

}  // namespace band::run
