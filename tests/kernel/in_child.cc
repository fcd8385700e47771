#include "tests/kernel/in_child.h"

#include <doctest/doctest.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace band::test {

std::string in_child(const std::function<std::string()>& act) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    const std::string text = act();
    ::_exit(::write(ends[1], text.data(), text.size()) < 0 ? 1 : 0);
  }
  ::close(ends[1]);
  std::string text;
  char bytes[4096];
  for (ssize_t n = 0; (n = ::read(ends[0], bytes, sizeof bytes)) > 0;) text.append(bytes, static_cast<std::size_t>(n));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (WIFSIGNALED(status)) return std::string("killed SIG") + ::sigabbrev_np(WTERMSIG(status));
  return text;
}

void allow_descriptors(rlim_t most) {
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = std::max(limit.rlim_cur, most);
  limit.rlim_max = std::max(limit.rlim_max, most);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

std::string did_if(bool success) { return success ? "did" : std::string("refused ") + ::strerrorname_np(errno); }

std::string said(const Status& status) { return status.ok() ? "did" : status.error().message(); }

}  // namespace band::test
