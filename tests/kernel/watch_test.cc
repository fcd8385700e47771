// The kernel's events about files (server/watch): which were read, which changed, through which mount.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

#include "server/base/io.h"
#include "server/watch/first_touch.h"
#include "server/watch/mount_events.h"
#include "tests/kernel/in_child.h"
#include "tests/kernel/own_mounts.h"
#include "tests/kernel/shell.h"

using namespace band;
using namespace band::test;
using namespace band::watch;

namespace {

// Mounts a tmpfs at `place` and a clone of it at `place`/clone, in a mount namespace that ends with the child.
bool two_mounts(const std::string& place) {
  return own_mounts() && mount_tmpfs(place) && ::mkdir((place + "/clone").c_str(), 0755) == 0 &&
         base::write_file(place + "/a", "alpha", 0644).ok() &&
         ::mount(place.c_str(), (place + "/clone").c_str(), nullptr, MS_BIND, nullptr) == 0;
}

std::string in_place(const std::function<std::string(const std::string&)>& act) {
  char place[] = "/tmp/band-watch-XXXXXX";
  REQUIRE(::mkdtemp(place) != nullptr);
  std::string said = in_child([&] {
    if (!two_mounts(place)) return did_if(false);
    return act(place);
  });
  ::rmdir(place);
  return said;
}

std::string touched(const std::string& place, const std::string& script) {
  auto touch = FirstTouch::open();
  const base::Fd directory(::open(place.c_str(), O_PATH | O_CLOEXEC));
  if (!touch.ok() || !touch->add(directory.get(), "a", 7).ok()) return "not watched";
  shell(place, script);
  const auto seen = touch->read();
  if (!seen.ok()) return seen.error().message();
  std::string text;
  for (const auto& each : *seen) text += (each.read ? "read " : "changed ") + std::to_string(each.file);
  return text;
}

std::string events_of(MountEvents& events) {
  std::string text;
  for (bool dry = false; !dry;) {
    std::vector<MountEvents::Event> seen;
    const auto took = events.read(seen);
    if (!took.ok()) return took.error().message();
    dry = *took;
    for (const auto& event : seen)
      text +=
          std::string(event.read ? "r" : "") + (event.changed ? "c" : "") + (event.closed_after_writing ? "w " : " ");
  }
  return text;
}

// Returns the events of a script when only the clone's mount is marked.
std::string marked(const std::string& place, const std::string& script) {
  auto events = MountEvents::open();
  if (!events.ok()) return events.error().message();
  {
    const base::Fd mount(::open((place + "/clone").c_str(), O_PATH | O_CLOEXEC));
    if (const Status status = events->mark(mount.get(), true); !status.ok()) return status.error().message();
  }
  shell(place, script);
  return events_of(*events);
}

}  // namespace

TEST_CASE("a watch reports only the first access to a file") {
  const auto events_after = [](const char* script) {
    return in_place([&](const std::string& place) { return touched(place, script); });
  };
  CHECK(events_after("cat a") == "read 7");
  CHECK(events_after(": <a") == "read 7");
  CHECK(events_after("mv a b; ln b c; cat clone/c; cat c; echo x >>b") == "read 7");
  CHECK(events_after("{ read x; echo y; } <>a") == "read 7");
  CHECK(events_after("echo x >>a; cat a") == "changed 7");
  CHECK(events_after(": >a; cat a") == "changed 7");
  CHECK(events_after("truncate -s 2 a; cat a") == "changed 7");
  CHECK(events_after("stat a; touch a; touch -c a; test -r a; chmod 600 a; ls -l; : >>a") == "");
  CHECK(events_after("stat a; touch a; cat a") == "read 7");  // the control of the line above
}

TEST_CASE(
    "a write through a descriptor that is open when its process is killed is reported when the kernel closes the "
    "descriptor") {
  CHECK(in_place([](const std::string& place) { return touched(place, "(kill -9 $BASHPID) <a; :"); }) == "read 7");
}

TEST_CASE("the maximum number of watched files does not overflow the kernel's queue") {
  CHECK(in_place([](const std::string& place) -> std::string {
          auto touch = FirstTouch::open();
          const base::Fd directory(::open(place.c_str(), O_PATH | O_CLOEXEC));
          shell(place, "mkdir d && cd d && seq 8000 | xargs touch");
          for (std::size_t i = 0; i < FirstTouch::kMost; ++i)
            if (touch->full() || !touch->add(directory.get(), "d/" + std::to_string(i + 1), i).ok())
              return "not watched";
          if (!touch->full()) return "not full";
          shell(place, "cd d && seq 8000 | xargs cat && seq 8000 | xargs cat");
          const auto seen = touch->read();
          return seen.ok() ? std::to_string(seen->size()) : seen.error().message();
        }) == "8000");
}

TEST_CASE(
    "accesses through a watched mount are reported, and accesses through another mount of the same files are not") {
  const auto events_after = [](const char* script) {
    return in_place([&](const std::string& place) { return marked(place, script); });
  };
  CHECK(events_after("cat clone/a") == "r ");
  CHECK(events_after(": <clone/a") == "r ");
  CHECK(events_after("cat a; echo x >>a") == "");
  CHECK(events_after("cat a; cat clone/a") == "r ");
  CHECK(events_after("stat clone/a; touch -c -d now clone/a; test -r clone/a; ls clone") == "");
  CHECK(events_after(": >>clone/a") == "w ");
  CHECK(events_after("touch clone/a") == "w ");
  CHECK(events_after("echo x >>clone/a") == "cw ");
  CHECK(events_after("touch clone/new") == "w ");
  CHECK(events_after("/bin/echo x >>clone/a; cat clone/a").substr(0, 2) == "cw");
  CHECK(events_after("(kill -9 $BASHPID) <clone/a; :") == "r ");
}

TEST_CASE("all events are reported, even more than the kernel's default queue holds") {
  CHECK(in_place([](const std::string& place) -> std::string {
          shell(place, "mkdir d && cd d && seq 20000 | xargs touch");
          auto events = MountEvents::open();
          const base::Fd mount(::open((place + "/clone").c_str(), O_PATH | O_CLOEXEC));
          if (!events.ok() || !events->mark(mount.get(), false).ok()) return "not marked";
          shell(place, "cd clone/d && seq 20000 | xargs cat");
          return std::to_string(events_of(*events).size() / 2);
        }) == "20000");
}

TEST_CASE("more waiting events than the maximum are an error, which is reported before all of them are read") {
  CHECK(in_place([](const std::string& place) -> std::string {
          auto events = MountEvents::open();
          const base::Fd mount(::open((place + "/clone").c_str(), O_PATH | O_CLOEXEC));
          if (!events.ok() || !events->mark(mount.get(), false).ok()) return "not marked";
          const pid_t child = ::fork();
          for (std::size_t i = 0; child == 0 && i <= MountEvents::kMaxWaiting + 2 * MountEvents::kTurn; ++i) {
            const std::string file = place + "/clone/" + std::to_string(i);
            if (::mknod(file.c_str(), S_IFREG | 0644, 0) != 0 || ::close(::open(file.c_str(), O_RDONLY)) != 0)
              ::_exit(1);
          }
          if (child == 0) ::_exit(0);
          int status = 1;
          if (::waitpid(child, &status, 0) != child || status != 0) return "not flooded";
          return events_of(*events);
        }) == "watch: cannot follow the script's file accesses: too many unread fanotify events");
}

TEST_CASE("reads by the server itself are not reported") {
  CHECK(in_place([](const std::string& place) -> std::string {
          auto events = MountEvents::open();
          const base::Fd mount(::open((place + "/clone").c_str(), O_PATH | O_CLOEXEC));
          if (!events.ok() || !events->mark(mount.get(), true).ok()) return "not marked";
          if (!base::read_file(place + "/clone/a", 100).ok()) return "not read";
          shell(place, "cat clone/a");  // its event has a descriptor, which the server closes
          const std::string first = events_of(*events);
          return first + "and then " + events_of(*events);
        }) == "r and then ");
}

TEST_CASE("a FIFO in a watched mount does not block the server") {
  CHECK(in_place([](const std::string& place) {
          return marked(place, "mkfifo f; (echo x >clone/f & cat <clone/f; wait)");
        }) == "");
}
