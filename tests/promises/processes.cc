// Processes of a slot, and a script that waits among them.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "server/base/io.h"
#include "tests/promises/sandbox.h"
#include "tests/within.h"

namespace band::test {

std::vector<pid_t> processes_of(uid_t user) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    struct stat info {};
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") == std::string::npos && ::stat(entry.path().c_str(), &info) == 0 &&
        info.st_uid == user)
      found.push_back(std::stoi(name));
  }
  return found;
}

std::vector<pid_t> processes_of(uid_t user, const std::string& words) {
  std::vector<pid_t> found = processes_of(user);
  std::erase_if(found, [&](pid_t pid) {
    auto line = base::read_file("/proc/" + std::to_string(pid) + "/cmdline", 64 << 10);
    if (!line.ok()) return true;  // it has exited
    std::replace(line->begin(), line->end(), '\0', ' ');
    return line->find(words) == std::string::npos;
  });
  return found;
}

bool held(int slot) {
  return wait_until(20'000, [&] { return !processes_of(slot_uid(slot), "sleep 271").empty(); });
}

bool output_received(int slot) {
  const std::vector<pid_t> holding = processes_of(slot_uid(slot), "sleep 271");
  if (holding.size() != 1) return false;
  const base::Fd script(static_cast<int>(::syscall(SYS_pidfd_open, holding[0], 0)));
  return wait_until(20'000, [&] {  // its stdout and stderr are the script's pipes
    for (const int number : {STDOUT_FILENO, STDERR_FILENO}) {
      const base::Fd output(static_cast<int>(::syscall(SYS_pidfd_getfd, script.get(), number, 0)));
      struct stat info {};
      int unread = 0;
      REQUIRE((::fstat(output.get(), &info) == 0 && S_ISFIFO(info.st_mode)));
      REQUIRE(::ioctl(output.get(), FIONREAD, &unread) == 0);
      if (unread > 0) return false;
    }
    return true;
  });
}

void let_go(int slot) {
  const std::vector<pid_t> holding = processes_of(slot_uid(slot), "sleep 271");
  for (const pid_t pid : holding) ::kill(pid, SIGKILL);
  // So that a later held() does not find this process.
  for (const pid_t pid : holding) REQUIRE(wait_until(5'000, [&] { return ::kill(pid, 0) != 0; }));
}

bool wait_until(int ms, const std::function<bool()>& holds) { return within(ms, holds); }

}  // namespace band::test
