// The log of executions: the server's log, or a separate file where other lines could fill that one. The file rotates
// and keeps one older generation (NAME.1.log next to NAME.log).
#pragma once

#include <spdlog/logger.h>

#include <string>

#include "schemas/core/result.h"

namespace band::run {

inline constexpr std::size_t kMaxExecutionsLogBytes = 8 << 20;

// Call it before the first execution. `file` ends with ".log" and gets mode 0640.
Status open_executions_log(const std::string& file, std::size_t most_bytes = kMaxExecutionsLogBytes);

spdlog::logger& executions_log();

}  // namespace band::run
