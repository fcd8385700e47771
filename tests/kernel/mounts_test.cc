// Mounts that are made, restricted and attached (server/view/mounts.h).
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "server/view/mounts.h"

using namespace band;

TEST_CASE("a mount that somebody has open for writing becomes read-only as soon as he lets go") {
  const auto tree = view::make_tmpfs({1 << 20, 100}, {.writable = true});
  REQUIRE(tree.ok());
  base::Fd file(::openat(tree->get(), "x", O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  REQUIRE(file);
  // Like another slot's spawn, which has a copy of the descriptor between its clone and its exec.
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    file.reset();
  });
  const Status restricted = view::restrict_tree(tree->get(), {}, false);
  other.join();
  CHECK_MESSAGE(restricted.ok(), (restricted.ok() ? "" : restricted.error().message()));
  CHECK(::openat(tree->get(), "x", O_WRONLY | O_CLOEXEC) == -1);
  CHECK(errno == EROFS);
}
