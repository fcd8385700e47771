#include "server/init/holder.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "server/init/become.h"
#include "server/init/report.h"
#include "server/init/warden.h"

namespace band::init {
namespace {

// Number of idle wardens, forked ahead: the start of a command then costs one fork less. Until the first command there
// is only one, because a script may start none; a pipeline needs more at a time.
constexpr int kFirst = 1, kSpares = 2;
constexpr int kRetryMs = 20;

// The Landlock rule set of each declared program, prepared once for all commands.
Result<std::vector<base::Fd>> prepare_domains(const Setup& setup) {
  std::vector<base::Fd> domains;
  for (const landlock::Ruleset& domain : setup.domains) {
    BAND_TRY(base::Fd ruleset, landlock::prepare(domain));
    domains.push_back(std::move(ruleset));
  }
  return domains;
}

// A warden exits with 0 after it has reported and answered. One that was killed (by the OOM killer) may have left
// processes that no warden can find: band-init then exits, which kills the whole view.
void reap_wardens() {
  for (;;) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG);
    if (pid <= 0) return;
    if (status != 0) gone();
  }
}

// Returns how many of `count` wardens could not be forked. Memory or processes may be used up for a while; commands and
// their shims then wait for a warden.
int fork_wardens(int count, const Setup& setup, const std::vector<base::Fd>& domains, int taken) {
  while (count > 0) {
    const pid_t pid = ::fork();
    if (pid < 0) break;
    if (pid == 0) ward(setup, domains, taken);
    --count;
  }
  return count;
}

}  // namespace

void hold_commands(const Setup& setup, const syscalls::Filter& filter, const base::Fd& deaths) {
  auto domains = prepare_domains(setup);
  if (!domains.ok()) fail(domains.error());
  if (const Status kept = privileges::give_up_but({CAP_SETUID, CAP_SETGID, CAP_KILL}); !kept.ok()) fail(kept.error());
  if (const Status loaded = syscalls::load_for_script(filter); !loaded.ok()) fail(loaded.error());
  Report started;
  started.kind = static_cast<std::uint32_t>(Report::Kind::Started);
  report(started);
  int taken[2];
  if (::pipe2(taken, O_CLOEXEC) != 0) fail(layer_error("init", "pipe", errno));
  bool first = true;
  for (int missing = kFirst;;) {
    missing = fork_wardens(missing, setup, *domains, taken[1]);
    // The wardens read the orders from the control socket. The holder only detects its end of file.
    pollfd events[3] = {{deaths.get(), POLLIN, 0}, {taken[0], POLLIN, 0}, {kControlFd, POLLRDHUP, 0}};
    if (::poll(events, 3, missing > 0 ? kRetryMs : -1) < 0 && errno != EINTR) gone();
    if (events[2].revents != 0) gone();
    if (events[0].revents != 0) {
      drain(deaths);
      reap_wardens();
    }
    if (events[1].revents == 0) continue;
    char bytes[64];
    const ssize_t count = ::read(taken[0], bytes, sizeof bytes);
    if (count > 0) missing += static_cast<int>(count) + (std::exchange(first, false) ? kSpares - kFirst : 0);
  }
}

}  // namespace band::init
