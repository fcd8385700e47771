#include "server/init/become.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "server/layout/places.h"

namespace band::init {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (const std::string& text : strings) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

Status landlock_holds() {
  base::Fd canary(::open(layout::kCanary, O_RDONLY | O_CLOEXEC));
  if (canary || errno != EACCES) return layer_error("landlock", "is not enforced: the canary file could be opened", 0);
  return done();
}

}  // namespace

Status become(const Setup& setup, const std::string& directory, const base::Fd& domain) {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::setsid() < 0) return layer_error("init", "setsid", errno);  // no controlling terminal, a group to signal
  // Each run has the uid of its slot; all runs have the group band-runner. With group write permission, a later run in
  // another slot can change a file that this run creates in a directory of the machine.
  ::umask(002);
  BAND_CHECK(limits::apply(setup.limits));    // before any code of the skill runs
  BAND_CHECK(privileges::become(setup.ids));  // no step below needs a capability
  // After the change of uid: only the slot's uid may enter the work directory, and uid 0 has no capability here.
  if (::chdir(directory.c_str()) != 0) return layer_error("init", "cannot enter " + directory, errno);
  BAND_CHECK(landlock::enforce(domain));  // after the mounts: it forbids mount(2)
  return landlock_holds();
}

Error execute(const char* path, const std::vector<std::string>& argv, const std::vector<std::string>& env) {
  auto arguments = pointers(argv);
  auto variables = pointers(env);
  ::execve(path, arguments.data(), variables.data());
  return layer_error("init", std::string("cannot execute ") + path, errno);
}

base::Fd watch_children() {
  sigset_t children;
  ::sigemptyset(&children);
  ::sigaddset(&children, SIGCHLD);
  ::sigprocmask(SIG_SETMASK, &children, nullptr);
  return base::Fd(::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
}

void drain(const base::Fd& deaths) {
  signalfd_siginfo info;
  while (::read(deaths.get(), &info, sizeof info) > 0) {
  }
}

}  // namespace band::init
