// Slots: each has its own uid and namespaces, and its cgroups apply their limits.
#include "server/slot/slot.h"

#include <dirent.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <filesystem>
#include <functional>
#include <optional>
#include <sstream>
#include <thread>

#include "server/base/child.h"
#include "server/base/io.h"
#include "server/execution/boosts.h"
#include "server/slot/server_groups.h"
#include "tests/kernel/in_child.h"
#include "tests/user_ids.h"

using namespace band;
using namespace band::test;

namespace {

std::string link_of(const char* path) {
  char text[128] = {};
  return ::readlink(path, text, sizeof text - 1) > 0 ? text : "";
}

// Returns the group of the cpu controller from the text of /proc/PID/cgroup. In v2 all controllers are on one line.
std::string cpu_group_in(const std::string& text, int version) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t names = line.find(':') + 1, path = line.find(':', names) + 1;
    const std::string controllers = "," + line.substr(names, path - 1 - names) + ",";
    if (version == 2 ? controllers == ",," : controllers.find(",cpu,") != std::string::npos) return line.substr(path);
  }
  return "none";
}

struct Shares {
  std::string thread, child, session;  // cpu groups of a slot's thread, and of processes that it starts
};

struct Seen {
  std::string error, net, mnt, devices;
  uid_t uid = 0;
};

// A server's group, with slots in threads.
struct Group {
  slot::Config config = {*slot::find_cgroups(), "kernel_test_" + std::to_string(::getpid()), own_user_ids(),
                         own_user_ids(), 2};
  std::optional<slot::ServerGroups> groups;
  Group() {
    auto made = slot::ServerGroups::make(config);
    REQUIRE_MESSAGE(made.ok(), made.error().message());
    groups.emplace(std::move(*made));
  }
  std::string path() const { return slot::group_of(config.cgroups.memory, config); }
  std::string cpu_path() const { return slot::group_of(config.cgroups.cpu, config); }

  // Two at the same time: the number of a namespace is reused after its end.
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

  // Starts a program that enters the control groups of the slot before it executes `what`.
  static Result<base::Child> spawn_in(const slot::Slot& slot, base::Spawn what) {
    const slot::Groups groups = slot.groups();
    std::string enter;
    const auto add = [&](int fd, const char* file) {
      const std::string number = std::to_string(what.fds.size());
      enter += "echo 0 > /proc/self/fd/" + number + file + " || exit 99; exec " + number + ">&-; ";
      what.fds.push_back(fd);
    };
    if (groups.directory >= 0) add(groups.directory, "/cgroup.procs");
    for (const int tasks : groups.tasks) add(tasks, "");
    what.argv.insert(what.argv.begin(), {"/usr/bin/bash", "-c", enter + "exec \"$@\"", "bash"});
    return base::spawn(what);
  }

  // Returns how a program of the slot ends.
  static std::string ending_of(const slot::Slot& slot, const std::string& shell, const std::string& script) {
    base::Spawn what;
    what.argv = {shell, "-c", script};
    what.env = {"PATH=/usr/bin:/bin"};
    what.fds = {0, 1, 2};
    auto child = spawn_in(slot, what);
    const auto exit = child.ok() ? child->wait(20'000) : std::nullopt;
    return !exit ? "did not end" : (exit->signalled ? "signal " : "exit ") + std::to_string(exit->code);
  }

  // Returns how a program of this slot ends under a memory limit.
  std::string eat(std::int64_t limit, const std::string& script, slot::Usage& usage) const {
    std::string result;
    std::thread([&] {
      auto slot = slot::Slot::enter(0, config);
      if (!slot.ok() || !slot->limit_memory(limit, "test").ok()) return;
      result = ending_of(*slot, "/usr/bin/bash", script);
      usage = slot->usage();
    }).join();
    return result;
  }

  // Runs one execution after the other in one slot, each with the given number of sleeping processes and a shell.
  // Returns how each ends, and whether processes were refused.
  std::string fork(int index, std::int64_t most, const std::vector<int>& sleepers) const {
    std::string results;
    std::thread([&] {
      auto slot = slot::Slot::enter(index, config);
      for (const int count : sleepers) {
        if (!slot.ok() || !slot->limit_memory(64 << 20, "test").ok() || !slot->limit_processes(most).ok()) return;
        // dash exits at the first process that it cannot start; no process outlives it, so the next execution has all
        // places.
        std::string script = "trap 'kill $pids; wait' EXIT; ";
        for (int i = 0; i < count; ++i) script += "sleep 60 & pids=\"$pids $!\"; ";
        results += ending_of(*slot, "/usr/bin/dash", script + "exit 0");
        results += slot->usage().refused_forks > 0 ? ", refused; " : ", none refused; ";
      }
    }).join();
    return results;
  }

  // Returns how a program ends that is left in the slot's group when the next execution begins.
  std::string ending_of_straggler() const {
    std::string result = "no slot";
    std::thread([&] {
      auto slot = slot::Slot::enter(0, config);
      if (!slot.ok() || !slot->limit_memory(64 << 20, "test").ok()) return;
      base::Spawn what;
      what.argv = {"/usr/bin/sleep", "99"};
      what.fds = {0, 1, 2};
      auto child = spawn_in(*slot, what);
      if (!child.ok() || child->wait(200)) return;  // the control: it keeps running by itself
      const auto next = slot->limit_memory(64 << 20, "test");
      const auto exit = next.ok() ? child->wait(10'000) : std::nullopt;
      result = !exit ? "did not end" : (exit->signalled ? "signal " : "exit ") + std::to_string(exit->code);
    }).join();
    return result;
  }

  struct Execution {
    std::string owner;
    std::int64_t limit = 0;
    std::string script;
  };
  struct Ended {
    std::string how, group;
    slot::Usage usage;
  };
  // Runs the executions one after the other in one slot.
  std::vector<Ended> run(const std::vector<Execution>& executions) const {
    std::vector<Ended> ended;
    std::thread([&] {
      auto slot = slot::Slot::enter(0, config);
      for (const Execution& each : executions) {
        if (!slot.ok() || !slot->limit_memory(each.limit, each.owner).ok()) return;
        std::string how = ending_of(*slot, "/usr/bin/bash", each.script), group;
        // A removed group is in the list until its last process is reaped, so the newest one counts.
        for (const auto& entry : std::filesystem::directory_iterator(path()))
          if (entry.path().filename().string().starts_with("slot-0-")) group = std::max(group, entry.path().string());
        // A program that it started can end after it; a group with processes is not used again.
        for (int ms = 0; ms < 20'000 && !slot::members(group).empty(); ++ms) ::usleep(1000);
        ended.push_back({how, group, slot->usage()});
      }
    }).join();
    REQUIRE(ended.size() == executions.size());
    return ended;
  }
  // Returns true when the kernel can reset the peak of a group's memory: cgroup v1, or v2 of Linux 6.12 and later.
  bool resets_peak() const {
    if (config.cgroups.memory.version == 1) return true;
    const base::Fd peak(::open((path() + "/memory.peak").c_str(), O_RDWR | O_CLOEXEC));
    return ::pwrite(peak.get(), "0", 1, 0) == 1;
  }

  // Returns the weight of a slot after each of `acts`.
  using Act = std::function<Status(const slot::Slot&)>;
  std::string weights(int index, const std::vector<Act>& acts) const {
    std::string found;
    std::thread([&] {
      auto slot = slot::Slot::enter(index, config);
      if (!slot.ok() || !slot->limit_memory(64 << 20, "test").ok()) return;
      const bool v1 = config.cgroups.cpu.version == 1;
      std::string group = cpu_path() + "/slot-" + std::to_string(index);
      if (config.cgroups.cpu == config.cgroups.memory)  // then each execution has its own group, the newest is the last
        for (const auto& entry : std::filesystem::directory_iterator(cpu_path()))
          if (entry.path().string().starts_with(group + "-")) group = std::max(group, entry.path().string());
      const auto add = [&](const Status& status) {
        const auto text = base::read_file(group + (v1 ? "/cpu.shares" : "/cpu.weight"), 64);
        found += status.ok() && text.ok() ? text->substr(0, text->find('\n')) + " " : "failed ";
      };
      for (const Act& act : acts) add(act(*slot));
    }).join();
    return found;
  }

  Shares shares(int index) const {
    Shares found;
    std::thread([&] {
      auto slot = slot::Slot::enter(index, config);
      int out[2];
      if (!slot.ok() || !slot->limit_memory(64 << 20, "test").ok() || ::pipe2(out, O_CLOEXEC) != 0) return;
      const base::Fd read(out[0]);
      base::Fd write(out[1]);
      base::Spawn what;
      what.argv = {"/usr/bin/bash", "-c", "cat /proc/self/cgroup; echo then; setsid -w cat /proc/self/cgroup"};
      what.env = {"PATH=/usr/bin:/bin"};
      what.fds = {0, write.get(), 2};
      auto child = spawn_in(*slot, what);
      write.reset();
      const std::string said = *base::read_all(read.get(), 1 << 16);
      const std::size_t middle = std::min(said.find("then"), said.size());
      const int version = config.cgroups.cpu.version;
      found = {cpu_group_in(*base::read_file("/proc/thread-self/cgroup", 1 << 16), version),
               cpu_group_in(said.substr(0, middle), version), cpu_group_in(said.substr(middle), version)};
      child->wait(20'000);
    }).join();
    return found;
  }
};

// A directory that looks like a cgroup2 mount: it has only a list of controllers.
struct Unified {
  std::string root = "/tmp/band-slot-test-XXXXXX";
  explicit Unified(const char* controllers) {
    REQUIRE(::mkdtemp(root.data()) != nullptr);
    REQUIRE(base::write_file(root + "/cgroup.controllers", controllers, 0600).ok());
  }
  ~Unified() { std::filesystem::remove_all(root); }
  std::string mount() const { return "cgroup2 " + root + " cgroup2 rw,nosuid 0 0\n"; }
};

}  // namespace

TEST_CASE("a slot shares no uid and no namespace with another slot or with the machine") {
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

TEST_CASE("a slot's network has only a loopback device") {
  const Group group;
  const std::string devices = group.look().devices;
  CHECK(devices.find(" lo:") != std::string::npos);
  CHECK(std::count(devices.begin(), devices.end(), ':') == 1);
}

TEST_CASE("a slot with uid 0 is refused") {
  Group group;
  group.config.uid_base = 0;
  CHECK(group.look().error.find("uid or gid 0") != std::string::npos);
}

TEST_CASE("the memory of a slot's programs is limited, and the kernel's kill for lack of memory is counted") {
  const Group group;
  slot::Usage usage;
  // tail keeps the last 60 MiB of its input. It replaces the shell, so that the kernel can choose no other large
  // program; it may also kill head.
  const std::string script = "exec tail -c 60M < <(head -c 60M /dev/zero) >/dev/null";
  CHECK(group.eat(512 << 20, script, usage) == "exit 0");  // the control
  CHECK(usage.oom_kills == 0);
  CHECK(usage.peak_bytes > 60 << 20);
  CHECK(group.eat(32 << 20, script, usage) == "signal 9");
  CHECK(usage.oom_kills >= 1);
  CHECK(usage.peak_bytes <= 32 << 20);
}

TEST_CASE("a memory group is kept only for the same token and limit, and each execution has its own peak and kills") {
  const Group group;
  const std::string eat = "exec tail -c 60M < <(head -c 60M /dev/zero) >/dev/null";
  const auto ran = group.run({{"one", 512 << 20, eat},
                              {"one", 512 << 20, "true"},
                              {"two", 512 << 20, "true"},
                              {"two", 32 << 20, eat},
                              {"two", 32 << 20, "true"}});
  CHECK((ran[1].group == ran[0].group) == group.resets_peak());
  CHECK(ran[0].usage.peak_bytes > 60 << 20);
  CHECK(ran[1].usage.peak_bytes < 20 << 20);
  CHECK(ran[2].group != ran[1].group);
  CHECK(ran[3].group != ran[2].group);
  CHECK(ran[3].how == "signal 9");
  CHECK(ran[3].usage.oom_kills >= 1);
  CHECK((ran[4].group == ran[3].group) == group.resets_peak());
  CHECK(ran[4].usage.oom_kills == 0);
}

TEST_CASE("a memory group to which an execution left memory is not used again") {
  const Group group;
  const std::string file = "/dev/shm/band_" + group.config.instance;
  const auto ran = group.run(
      {{"one", 64 << 20, "true"}, {"one", 64 << 20, "exec head -c 4M /dev/zero > " + file}, {"one", 64 << 20, "true"}});
  REQUIRE(std::filesystem::remove(file));
  CHECK((ran[1].group == ran[0].group) == group.resets_peak());
  CHECK(ran[2].group != ran[1].group);
}

TEST_CASE("the number of a slot's processes is limited, and refused processes are counted for each execution") {
  const Group group;
  CHECK(group.fork(0, 6, {5, 6, 5}) == "exit 0, none refused; exit 2, refused; exit 0, none refused; ");
  CHECK(group.fork(1, 7, {6}) == "exit 0, none refused; ");
}

TEST_CASE(
    "all processes of a slot together have one share of the processors, also in new sessions; with cgroup v1 this "
    "includes the slot's thread") {
  const Group group;
  const Shares one = group.shares(0), two = group.shares(1);
  const std::string server = "/" + slot::group_name(group.config);
  CHECK(one.child.find(server + "/slot-0") != std::string::npos);
  CHECK(one.session == one.child);
  CHECK(two.child.find(server + "/slot-1") != std::string::npos);
  CHECK(two.session == two.child);
  CHECK(one.child != two.child);
  if (group.config.cgroups.cpu.version == 1)
    CHECK(one.thread == one.child);
  else
    CHECK(one.thread.find(server) == std::string::npos);  // a thread cannot be in it (cgroups(7), "Thread mode")
}

TEST_CASE("the processor shares of a slot are those that were set for the slot, independent of other slots") {
  const Group group;
  const bool v1 = group.config.cgroups.cpu.version == 1;
  const std::vector<Group::Act> acts = {[](const slot::Slot&) { return done(); },
                                        [](const slot::Slot& slot) { return slot.set_shares(64); },
                                        [](const slot::Slot& slot) { return slot.set_shares(1); }};
  CHECK(group.weights(0, acts) == (v1 ? "1024 65536 1024 " : "100 6400 100 "));
  CHECK(group.weights(1, acts) == group.weights(0, acts));  // independent of the other slot's shares
}

TEST_CASE(
    "a boost lasts until the engine ends it, and is charged to the token; executions of a token without credit have no "
    "boost") {
  const Group group;
  const std::string one = group.config.cgroups.cpu.version == 1 ? "1024 " : "100 ",
                    many = group.config.cgroups.cpu.version == 1 ? "65536 " : "6400 ";
  run::Boosts boosts;
  boosts.charge("poor", 60'000'000, base::monotonic_us());
  std::optional<run::Boost> boost;
  const auto begin = [&](const char* token) {
    return [&, token](const slot::Slot& slot) {
      boost.emplace(boosts, slot, token);
      return boost->apply();
    };
  };
  const Group::Act end = [&](const slot::Slot&) { return boost->end(); };
  const Group::Act destroy = [&](const slot::Slot&) {
    boost.reset();
    return done();
  };
  CHECK(group.weights(0, {begin("rich"), end, begin("rich"), destroy, begin("poor"), end, destroy}) ==
        many + one + many + one + one + one + one);

  // The time in which processes of the sandbox may compute is charged completely: of half a second, 167 ms are credited
  // again.
  boosts.charge("spender", 900'000, base::monotonic_us());
  std::int64_t now = 0;
  const Group::Act spend = [&](const slot::Slot&) {
    boost->sandbox_started();
    ::usleep(500'000);
    now = base::monotonic_us();
    return boost->end();
  };
  CHECK(group.weights(0, {begin("spender"), spend}) == many + one);
  CHECK_FALSE(boosts.allowed("spender", now));
}

TEST_CASE("processes that are left of an execution are killed when the next execution of the slot begins") {
  const Group group;
  CHECK(group.ending_of_straggler() == "signal 9");
}

TEST_CASE(
    "each cgroup controller is found in its hierarchy, in v1, in v1 with cpuacct, in v2, and with controllers in "
    "both") {
  const std::string memory = "cgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0\n";
  const std::string cpuset = "cgroup /sys/fs/cgroup/cpuset cgroup rw,relatime,cpuset 0 0\n";
  const std::string cpu = "cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,relatime,cpu,cpuacct 0 0\n";
  const std::string pids = "cgroup /sys/fs/cgroup/pids cgroup rw,relatime,pids 0 0\n";
  const Unified none("hugetlb\n"), both("cpuset cpu io memory pids\n"), half("cpuset cpu pids\n");
  const slot::Hierarchy v1_memory{1, "/sys/fs/cgroup/memory"}, v1_cpu{1, "/sys/fs/cgroup/cpu,cpuacct"};

  const auto v1 = slot::find_cgroups(cpuset + none.mount() + cpu + memory + pids);
  REQUIRE(v1.ok());
  CHECK(v1->memory == v1_memory);
  CHECK(v1->cpu == v1_cpu);
  CHECK(v1->pids == slot::Hierarchy{1, "/sys/fs/cgroup/pids"});
  const auto v2 = slot::find_cgroups(both.mount());
  REQUIRE(v2.ok());
  CHECK(v2->memory == slot::Hierarchy{2, both.root});
  CHECK(v2->cpu == v2->memory);
  CHECK(v2->pids == v2->memory);
  const auto hybrid = slot::find_cgroups(half.mount() + memory);
  REQUIRE(hybrid.ok());
  CHECK(hybrid->memory == v1_memory);
  CHECK(hybrid->cpu == slot::Hierarchy{2, half.root});
  CHECK(hybrid->pids == hybrid->cpu);

  const auto no_cpu = slot::find_cgroups(cpuset + none.mount() + memory), no_memory = slot::find_cgroups(half.mount());
  const auto no_pids = slot::find_cgroups(memory + cpu + none.mount());
  REQUIRE(!no_cpu.ok());
  CHECK(no_cpu.error().hint.find("mount -t cgroup -o cpu") != std::string::npos);
  REQUIRE(!no_memory.ok());
  CHECK(no_memory.error().hint.find("cgroup_enable=memory") != std::string::npos);
  REQUIRE(!no_pids.ok());
  CHECK(no_pids.error().hint.find("mount -t cgroup -o pids") != std::string::npos);
}

TEST_CASE("the control groups of a server are removed when the server ends") {
  std::vector<std::string> paths;
  {
    const Group group;
    paths = group.groups->paths();
    for (const auto* hierarchy : {&group.config.cgroups.memory, &group.config.cgroups.cpu, &group.config.cgroups.pids})
      CHECK(std::count(paths.begin(), paths.end(), slot::group_of(*hierarchy, group.config)) == 1);
    CHECK(group.look().error == "");
    CHECK(std::filesystem::exists(group.path() + "/slot-0-0"));
    CHECK(std::filesystem::exists(group.cpu_path() + (group.cpu_path() == group.path() ? "/slot-0-0" : "/slot-0")));
  }
  for (const std::string& path : paths) CHECK(!std::filesystem::exists(path));
}
