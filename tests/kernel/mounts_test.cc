// Mounts that are made, restricted and attached (server/view/mounts.h).
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <thread>

#include "server/view/mounts.h"
#include "server/view/stage.h"
#include "tests/kernel/in_child.h"
#include "tests/kernel/own_mounts.h"

using namespace band;
using namespace band::test;

namespace {

// A process with copies of all descriptors, like a child between clone and exec.
class Sleeper {
 public:
  Sleeper() : pid_(::fork()) {
    if (pid_ == 0) ::usleep(10'000'000), ::_exit(0);
  }
  ~Sleeper() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;

 private:
  pid_t pid_;
};

}  // namespace

TEST_CASE("a cloned mount becomes read-only even if another process has a file of the mount open for writing") {
  char place[] = "/tmp/band-mounts-XXXXXX";
  REQUIRE(::mkdtemp(place) != nullptr);
  CHECK(in_child([&] {
          const auto tree = view::make_tmpfs({1 << 20, 100}, {.writable = true});
          if (!own_mounts() || !tree.ok()) return did_if(false);
          const Status attached = view::attach(tree->get(), AT_FDCWD, place);
          base::Fd file(::openat(tree->get(), "x", O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
          if (!attached.ok() || !file) return said(attached);
          const Sleeper other;  // with a copy of the descriptor
          file.reset();
          const Status itself = view::restrict_tree(tree->get(), {}, false);  // the control
          const auto clone = view::clone_tree(tree->get(), false);
          if (!clone.ok()) return clone.error().message();
          const Status restricted = view::restrict_tree(clone->get(), {}, false);
          const std::string opened = did_if(::openat(clone->get(), "x", O_WRONLY | O_CLOEXEC) >= 0);
          return said(itself) + "; " + said(restricted) + "; " + opened;
        }) == "view: cannot restrict a mount: Device or resource busy; did; refused EROFS");
  ::rmdir(place);
}

TEST_CASE("a stage is built while other threads start children, which have copies of all descriptors") {
  char place[] = "/tmp/band-stage-XXXXXX";
  REQUIRE(::mkdtemp(place) != nullptr);
  const std::string floor = std::string(place) + "/floor";
  for (const char* path : {"", "/usr", "/etc"}) REQUIRE(::mkdir((floor + path).c_str(), 0755) == 0);
  // In a child, for a separate mount namespace.
  CHECK(in_child([&] {
          if (!own_mounts()) return did_if(false);
          std::atomic<bool> stop = false;
          std::thread spawner([&] {
            while (!stop) {
              const Sleeper copies;
              ::usleep(1'000);
            }
          });
          Status built = done();
          const auto overlays = view::Overlays::make(place + std::string("/empty"), place + std::string("/dev"));
          if (!overlays.ok()) return said(Status(overlays.error()));
          for (int i = 0; i < 200 && built.ok(); ++i) {
            const auto tree = view::FloorTree::make(*overlays, floor, {}, place + std::string("/tree"));
            if (!tree.ok()) return said(Status(tree.error()));
            auto stage = view::make_stage(
                {&*tree, place + std::string("/stage"), {1, 1}, 1 << 20, 100, 1 << 20, {}, {}, {}, ""}, {});
            built =
                stage.ok()
                    ? stage->fill({"/band/skill/scripts/a/run.sh", "true", "{}", "{}", {{"a.sh", 0644, "x"}}, {}}, {})
                    : Status(stage.error());
          }
          stop = true;
          spawner.join();
          return said(built);
        }) == "did");
  std::filesystem::remove_all(place);
}

TEST_CASE("a clone of a mount that is read-only on the machine is read-only, too") {
  const auto host = view::make_tmpfs({1 << 20, 100}, {.writable = true});
  REQUIRE(host.ok());
  CHECK(base::Fd(::openat(host->get(), "before", O_WRONLY | O_CREAT | O_CLOEXEC, 0644)));  // the control
  const auto read_only = view::make_tmpfs({1 << 20, 100}, {});
  REQUIRE(read_only.ok());
  REQUIRE(view::restrict_tree(read_only->get(), {.writable = true}, false).ok());
  CHECK(::openat(read_only->get(), "x", O_WRONLY | O_CREAT | O_CLOEXEC, 0644) == -1);
  CHECK(errno == EROFS);
}

TEST_CASE("directories of a stage are created neither on another mount nor through a link") {
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
