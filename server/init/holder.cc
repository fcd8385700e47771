#include "server/init/holder.h"

#include <linux/capability.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "server/base/channel.h"
#include "server/init/become.h"
#include "server/init/report.h"
#include "server/init/warden.h"

namespace band::init {
namespace {

// What was prepared once for all commands: the programs' domains.
Result<std::vector<base::Fd>> prepare_domains(const Plan& plan) {
  std::vector<base::Fd> domains;
  for (const landlock::Plan& domain : plan.domains) {
    BAND_TRY(base::Fd ruleset, landlock::prepare(domain));
    domains.push_back(std::move(ruleset));
  }
  return domains;
}

Result<Errand> next_errand(const std::vector<base::Fd>& domains) {
  BAND_TRY(base::Message message, base::receive(kControlFd, sizeof(StartCommand)));
  if (message.text.empty()) gone();
  StartCommand start;
  if (message.text.size() != sizeof start || message.fds.size() < 2) return layer_error("init", "a malformed order", 0);
  std::memcpy(&start, message.text.data(), sizeof start);
  if (start.domain >= domains.size()) return layer_error("init", "an order for an unknown program", 0);
  Errand errand;
  errand.id = start.id;
  errand.domain = &domains[start.domain];
  errand.shim = std::move(message.fds[0]);
  errand.command = std::move(message.fds[1]);
  for (std::size_t i = 2; i < message.fds.size(); ++i) errand.descriptors.push_back(std::move(message.fds[i]));
  return errand;
}

// A warden ends with 0 when all is said. One that was killed (by the kernel, for want of memory) has left processes
// behind that nobody knows: the view is over.
void reap_wardens() {
  for (;;) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG);
    if (pid <= 0) return;
    if (status != 0) gone();
  }
}

}  // namespace

void hold_commands(const Plan& plan, const base::Fd& deaths) {
  auto domains = prepare_domains(plan);
  if (!domains.ok()) fail(domains.error());
  if (const Status kept = privileges::give_up_but({CAP_SETUID, CAP_SETGID, CAP_KILL}); !kept.ok()) fail(kept.error());
  if (const Status loaded = syscalls::load(plan.filter); !loaded.ok()) fail(loaded.error());
  Report started;
  started.kind = static_cast<std::uint32_t>(Report::Kind::Started);
  report(started);
  for (;;) {
    pollfd events[2] = {{deaths.get(), POLLIN, 0}, {kControlFd, POLLIN, 0}};
    if (::poll(events, 2, -1) < 0 && errno != EINTR) gone();
    if (events[0].revents != 0) {
      drain(deaths);
      reap_wardens();
    }
    if (events[1].revents == 0) continue;
    auto errand = next_errand(*domains);
    if (!errand.ok()) fail(errand.error());
    const pid_t pid = ::fork();
    if (pid < 0) fail(layer_error("init", "fork", errno));
    if (pid == 0) ward(plan, std::move(errand).value());
  }
}

}  // namespace band::init
