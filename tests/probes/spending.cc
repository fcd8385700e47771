// Uses up resources.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "tests/probes/probe.h"

namespace probe {
namespace {

std::size_t mebibytes(const Arguments& a) { return std::strtoul(a.at(0).c_str(), nullptr, 10) << 20; }

std::string hold(const Arguments& a) {
  if (a.size() > 1) ::sleep(static_cast<unsigned>(std::atoi(a[1].c_str())));
  return "did";
}

// MEBIBYTES [SECONDS]: allocates memory and holds it.
std::string eat_heap(const Arguments& a) {
  void* memory = ::mmap(nullptr, mebibytes(a), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return did_if(false);
  for (std::size_t at = 0; at < mebibytes(a); at += 4096) static_cast<char*>(memory)[at] = 1;
  return hold(a);
}

// MEBIBYTES [SECONDS]: the same with memfds of 16 MiB, so that a limit on the size of one file has no effect.
std::string eat_memfds(const Arguments& a) {
  static char megabyte[1 << 20] = {1};
  for (std::size_t done = 0; done < mebibytes(a); done += 16 << 20) {
    const int fd = static_cast<int>(::syscall(SYS_memfd_create, "probe", 0x8u));
    if (fd < 0) return did_if(false);
    for (int i = 0; i < 16; ++i)
      if (::write(fd, megabyte, sizeof megabyte) != sizeof megabyte) return did_if(false);
  }
  return hold(a);
}

// Returns how many children can be started; they sleep until this program exits.
std::string count_children(const Arguments& a) {
  const int most = std::atoi(a.at(0).c_str());
  int ends[2];
  if (::pipe(ends) != 0) untried("pipe");
  int count = 0;
  for (; count < most; ++count) {
    const pid_t pid = ::fork();
    if (pid < 0) break;
    if (pid == 0) {
      char byte = 0;
      ::close(ends[1]);
      ::_exit(::read(ends[0], &byte, 1) < 0 ? 1 : 0);
    }
  }
  return std::to_string(count);
}

// Returns how many threads can be started in addition to the first; they wait until this program exits.
std::string count_threads(const Arguments& a) {
  const int most = std::atoi(a.at(0).c_str());
  int count = 0;
  pthread_t thread{};
  const auto wait = [](void*) -> void* { return reinterpret_cast<void*>(static_cast<long>(::pause())); };
  while (count < most && ::pthread_create(&thread, nullptr, wait, nullptr) == 0) ++count;
  return std::to_string(count);
}

std::string count_files(const Arguments& a) {
  const int most = std::atoi(a.at(0).c_str());
  int count = 0;
  while (count < most && ::open("/dev/null", O_RDONLY) >= 0) ++count;
  return std::to_string(count);
}

// Returns how many empty files can be made in DIRECTORY.
std::string make_files(const Arguments& a) {
  const int most = std::atoi(a.at(1).c_str());
  int count = 0;
  for (; count < most; ++count) {
    const int fd = ::open((a.at(0) + "/f" + std::to_string(count)).c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (fd < 0) break;
    ::close(fd);
  }
  return std::to_string(count);
}

std::string fork_bomb(const Arguments&) {
  ::signal(SIGTERM, SIG_IGN);
  for (;;)
    if (::fork() < 0) ::usleep(1000);
}

}  // namespace

void add_spending_acts(Acts& acts) {
  acts["eat-heap"] = eat_heap;
  acts["eat-memfds"] = eat_memfds;
  acts["count-children"] = count_children;
  acts["count-threads"] = count_threads;
  acts["count-files"] = count_files;
  acts["make-files"] = make_files;
  acts["fork-bomb"] = fork_bomb;
}

}  // namespace probe
