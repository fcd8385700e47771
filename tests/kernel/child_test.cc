// Starting programs, from many threads at the same time.
#include "server/base/child.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "server/base/io.h"
#include "tests/kernel/in_child.h"

using namespace band;

namespace {

std::string said_by(const std::vector<std::string>& argv, std::vector<int> more = {}) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return "no pipe";
  base::Fd read(ends[0]), write(ends[1]), null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  base::Spawn what;
  what.argv = argv;
  what.fds = {null.get(), write.get(), write.get()};
  what.fds.insert(what.fds.end(), more.begin(), more.end());
  auto child = base::spawn(what);
  write.reset();
  if (!child.ok()) return child.error().message();
  std::string text = *base::read_all(read.get(), 1 << 16);
  child->wait(-1);
  return text;
}

}  // namespace

TEST_CASE("many threads start programs at the same time, and each gets the output of its own program") {
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) {
        const std::string word = std::to_string(t) + "-" + std::to_string(i);
        if (said_by({"/usr/bin/echo", word}) == word + "\n") ++right;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(right == 200);
}

TEST_CASE("a program that is started as a child process has the descriptors that were passed, and no others") {
  // Held open without close-on-exec on purpose.
  const base::Fd stray(::open("/dev/null", O_RDONLY));
  const base::Fd given(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  REQUIRE(::fcntl(stray.get(), F_DUPFD, 50) >= 50);
  CHECK(said_by({"/usr/bin/bash", "-c", "ls /proc/$$/fd; :"}) == "0\n1\n2\n");
  CHECK(said_by({"/usr/bin/bash", "-c", "ls /proc/$$/fd; readlink /proc/$$/fd/3; :"}, {given.get()}) ==
        "0\n1\n2\n3\n/dev/zero\n");
  ::close(50);
}

TEST_CASE("two descriptors can be passed to a child process under each other's numbers") {
  const base::Fd zero(::open("/dev/zero", O_RDONLY | O_CLOEXEC)), full(::open("/dev/full", O_RDONLY | O_CLOEXEC));
  CHECK(said_by({"/usr/bin/bash", "-c", "readlink /proc/self/fd/3 /proc/self/fd/4"}, {full.get(), zero.get()}) ==
        "/dev/full\n/dev/zero\n");
}

TEST_CASE("a program that does not exist is an error, not an exit status") {
  base::Spawn what;
  what.argv = {"/no/such/program"};
  const auto child = base::spawn(what);
  REQUIRE_FALSE(child.ok());
  CHECK(child.error().err == ENOENT);
}

TEST_CASE("a started program has no signal blocked or ignored, and no environment") {
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGUSR1, &ignore, &before);
  CHECK(said_by({"/usr/bin/grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"}) ==
        "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
  ::sigaction(SIGUSR1, &before, nullptr);
  CHECK(said_by({"/usr/bin/env"}) == "");
}

TEST_CASE("the destructor of Child kills and reaps the process") {
  pid_t pid = 0;
  {
    base::Spawn what;
    what.argv = {"/usr/bin/sleep", "99"};
    what.fds = {0, 1, 2};
    auto child = base::spawn(what);
    REQUIRE(child.ok());
    pid = child->pid();
    CHECK(::kill(pid, 0) == 0);
    CHECK_FALSE(child->wait(20).has_value());
  }
  CHECK(::kill(pid, 0) != 0);
}
