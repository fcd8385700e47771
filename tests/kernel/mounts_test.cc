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

TEST_CASE("a mount that the machine made read-only is not made writable by a clone") {
  const auto host = view::make_tmpfs({1 << 20, 100}, {.writable = true});
  REQUIRE(host.ok());
  CHECK(base::Fd(::openat(host->get(), "before", O_WRONLY | O_CREAT | O_CLOEXEC, 0644)));  // the control
  const auto read_only = view::make_tmpfs({1 << 20, 100}, {});
  REQUIRE(read_only.ok());
  REQUIRE(view::restrict_tree(read_only->get(), {.writable = true}, false).ok());
  CHECK(::openat(read_only->get(), "x", O_WRONLY | O_CREAT | O_CLOEXEC, 0644) == -1);
  CHECK(errno == EROFS);
}

TEST_CASE("directories are not made on another mount, nor through a link") {
  char place[] = "/tmp/band-mounts-XXXXXX";
  REQUIRE(::mkdtemp(place) != nullptr);
  const base::Fd root(::open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  REQUIRE(::symlinkat("/var/tmp", root.get(), "link") == 0);
  CHECK(view::make_directories(root.get(), "a/b").ok());  // the control
  CHECK_FALSE(view::make_directories(root.get(), "link/band-made").ok());
  const base::Fd top(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  CHECK_FALSE(view::make_directories(top.get(), "proc/self").ok());  // /proc is another mount
  CHECK(::access("/var/tmp/band-made", F_OK) != 0);
  ::unlinkat(root.get(), "link", 0);
  ::unlinkat(root.get(), "a/b", AT_REMOVEDIR);
  ::unlinkat(root.get(), "a", AT_REMOVEDIR);
  ::rmdir(place);
}
