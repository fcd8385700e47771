#include "server/engine/executions_log.h"

#include <fcntl.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <cerrno>

#include "server/base/fd.h"

namespace band::run {
namespace {
constexpr const char* kName = "executions";
}

Status open_executions_log(const std::string& file, std::size_t most_bytes) {
  // The file is opened here before the library opens it, because the library would follow links and would not set the
  // mode.
  const base::Fd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0640));
  if (!fd || ::fchmod(fd.get(), 0640) != 0) return layer_error("serve", "cannot open " + file, errno);
  try {
    spdlog::file_event_handlers handlers;
    handlers.after_open = [](const spdlog::filename_t&, std::FILE* opened) { ::fchmod(::fileno(opened), 0640); };
    auto sink = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(file, most_bytes, 1, false, handlers);
    auto logger = std::make_shared<spdlog::logger>(kName, std::move(sink));
    logger->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %v", spdlog::pattern_time_type::utc);
    logger->set_level(spdlog::get_level());
    logger->flush_on(spdlog::level::info);
    spdlog::drop(kName);
    spdlog::register_logger(std::move(logger));
  } catch (const spdlog::spdlog_ex& error) {
    return layer_error("serve", "cannot open " + file + ": " + error.what(), 0);
  }
  return done();
}

spdlog::logger& executions_log() {
  const auto own = spdlog::get(kName);  // the registry owns it
  return own ? *own : *spdlog::default_logger_raw();
}

}  // namespace band::run
