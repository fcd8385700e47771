#include "server/init/report.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "server/base/channel.h"

namespace band::init {

void gone() { ::_exit(0); }

void report(const Report& message, const std::vector<int>& fds) {
  const std::string_view bytes(reinterpret_cast<const char*>(&message), sizeof message);
  if (!base::send(kControlFd, bytes, fds).ok()) gone();
}

void report_to(int control, const Report& message) {
  (void)base::send(control, {reinterpret_cast<const char*>(&message), sizeof message});
}

Report failure(const Error& error) {
  Report message;
  message.kind = static_cast<std::uint32_t>(Report::Kind::Failed);
  message.code = static_cast<std::uint32_t>(error.err);
  std::strncpy(message.layer, error.layer.c_str(), sizeof message.layer - 1);
  std::strncpy(message.text, error.doing.c_str(), sizeof message.text - 1);
  return message;
}

std::optional<Report> failure_before_exec(const base::Fd& errors) {
  Report failed;
  ssize_t n = 0;
  while ((n = ::read(errors.get(), &failed, sizeof failed)) < 0 && errno == EINTR) {
  }
  if (n == 0) return std::nullopt;
  return n == sizeof failed ? failed : failure(layer_error("init", "cannot read the child's error report", 0));
}

void fail(const Error& error) {
  report(failure(error));
  ::_exit(1);
}

void note_death(int wait_status, Report& report) {
  report.signalled = WIFSIGNALED(wait_status) ? 1 : 0;
  report.code = static_cast<std::uint32_t>(WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status));
}

std::uint64_t cpu_us_of(const rusage& usage) {
  const auto us = [](const timeval& t) { return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000 + t.tv_usec; };
  return us(usage.ru_utime) + us(usage.ru_stime);
}

}  // namespace band::init
