// Slots: what no two of them share, and what their cgroup holds.
#include "server/slot/slot.h"

#include <dirent.h>
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <thread>

#include "server/base/child.h"
#include "server/base/io.h"
#include "tests/kernel/in_child.h"

using namespace band;
using namespace band::test;

namespace {

std::string link_of(const char* path) {
  char text[128] = {};
  return ::readlink(path, text, sizeof text - 1) > 0 ? text : "";
}

struct Seen {
  std::string error, net, mnt, devices;
  uid_t uid = 0;
};

// A server's group, with slots in threads.
struct Group {
  slot::Config config;
  Group() {
    config.cgroups = *slot::find_cgroups();
    config.instance = "kernel_test_" + std::to_string(::getpid());
    config.uid_base = 0x72000010;
    config.gid = 0x72000010;
    REQUIRE(slot::prepare_group(config.cgroups, config.instance).ok());
  }
  ~Group() { slot::remove_group(config.cgroups, config.instance); }
  std::string path() const { return config.cgroups.memory + "/band-" + config.instance; }

  // Two at once: numbers of namespaces are used again when one is gone.
  std::pair<Seen, Seen> look_at_two() const {
    Seen seen[2];
    std::barrier both(2);
    const auto one = [&](int index) {
      auto slot = slot::Slot::enter(index, config);
      seen[index] = slot.ok() ? Seen{"", link_of("/proc/thread-self/ns/net"), link_of("/proc/thread-self/ns/mnt"),
                                     *base::read_file("/proc/thread-self/net/dev", 1 << 16), slot->uid()}
                              : Seen{slot.error().message(), "", "", "", 0};
      both.arrive_and_wait();
    };
    std::thread first(one, 0), second(one, 1);
    first.join();
    second.join();
    return {seen[0], seen[1]};
  }
  Seen look() const { return look_at_two().first; }

  // What a program of this slot's says under a memory limit.
  std::string eat(std::int64_t limit, const std::string& script, slot::Usage& usage) const {
    std::string result;
    std::thread([&] {
      auto slot = slot::Slot::enter(0, config);
      if (!slot.ok() || !slot->limit_memory(limit).ok()) return;
      base::Spawn what;
      what.argv = {"/usr/bin/bash", "-c", script};
      what.fds = {0, 1, 2};
      what.cgroup_fd = slot->cgroup_fd();
      auto child = base::spawn(what);
      const auto exit = child.ok() ? child->wait(20'000) : std::nullopt;
      result = !exit ? "did not end" : (exit->signalled ? "signal " : "exit ") + std::to_string(exit->code);
      usage = slot->usage();
    }).join();
    return result;
  }
};

}  // namespace

TEST_CASE("no two slots share a uid or a namespace, with each other or with the machine") {
  const Group group;
  const auto [one, two] = group.look_at_two();
  REQUIRE(one.error == "");
  REQUIRE(two.error == "");
  CHECK(one.uid != two.uid);
  CHECK(one.net != two.net);
  CHECK(one.mnt != two.mnt);
  CHECK(one.net != link_of("/proc/self/ns/net"));
  CHECK(one.mnt != link_of("/proc/self/ns/mnt"));
}

TEST_CASE("a slot's network has a loopback device and nothing else") {
  const Group group;
  const std::string devices = group.look().devices;
  CHECK(devices.find(" lo:") != std::string::npos);
  CHECK(std::count(devices.begin(), devices.end(), ':') == 1);
}

TEST_CASE("a slot of uid 0 is refused") {
  Group group;
  group.config.uid_base = 0;
  CHECK(group.look().error.find("refused") != std::string::npos);
}

TEST_CASE("a slot's programs are held to the memory limit, and the kill is counted") {
  const Group group;
  slot::Usage usage;
  // tail remembers all that could be the end.
  const std::string script = "head -c 60M /dev/zero | tail -c 60M >/dev/null";
  CHECK(group.eat(512 << 20, script, usage) == "exit 0");  // the control
  CHECK(usage.oom_kills == 0);
  CHECK(usage.peak_bytes > 60 << 20);
  CHECK(group.eat(32 << 20, script, usage) == "exit 137");  // what bash says of a tail that was killed
  CHECK(usage.oom_kills == 1);
  CHECK(usage.peak_bytes <= 32 << 20);
}

TEST_CASE("a server's group goes with it, and a new server takes over what an earlier one left") {
  std::string path;
  {
    const Group group;
    path = group.path();
    CHECK(group.look().error == "");
    CHECK(::access((path + "/slot-0-0").c_str(), F_OK) == 0);
    CHECK(slot::prepare_group(group.config.cgroups, group.config.instance).ok());
    CHECK(::access((path + "/slot-0-0").c_str(), F_OK) != 0);
  }
  CHECK(::access(path.c_str(), F_OK) != 0);
}
