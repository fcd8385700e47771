// A sandbox that was made ahead is used only while a new one would be the same. The mounts of these tests are visible
// only to this program and its slots.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/promises/sandbox.h"

using namespace band::test;

namespace {

constexpr useconds_t kFloorCheckUs = 1'100'000;  // longer than Floors' kFreshUs

// Mounts another file over that one until it is destroyed. On the thread of a slot, the mount is only in the slot's
// namespace, and another thread cannot unmount it.
class Replaced {
 public:
  Replaced(const std::string& path, const std::string& by) : path_(path) {
    replaced_ = ::mount(by.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) == 0;
  }
  // The floor's files are checked at most once per second. Without the wait, the next test could make its sandbox with
  // the floor of the replaced file, and find it outdated when it is used.
  ~Replaced() {
    if (!replaced_) return;
    ::umount2(path_.c_str(), MNT_DETACH);
    ::usleep(kFloorCheckUs);
  }
  Replaced(const Replaced&) = delete;
  Replaced& operator=(const Replaced&) = delete;
  explicit operator bool() const { return replaced_; }

 private:
  std::string path_;
  bool replaced_ = false;
};

// Returns whether the sandbox that was made ahead was used, although this file was replaced in the meantime.
bool warm_beside(With with, const std::string& path, const std::string& by) {
  std::optional<Replaced> replaced;
  with.meanwhile = [&] {
    replaced.emplace(path, by);
    ::usleep(kFloorCheckUs);
  };
  const Ran ran = run("echo ran", with);
  REQUIRE(replaced);
  REQUIRE(*replaced);
  CHECK(ran.code == "OK");
  CHECK(ran.out == "ran");
  return ran.warm;
}

// The pipes that two processes have open, as their links in /proc.
std::set<std::string> common_pipes(const std::string& a, const std::string& b) {
  const auto pipes_of = [](const std::string& process) {
    std::set<std::string> links;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/" + process + "/fd")) {
      std::error_code closed;
      if (const auto link = std::filesystem::read_symlink(entry, closed).string(); link.starts_with("pipe:"))
        links.insert(link);
    }
    return links;
  };
  const std::set<std::string> first = pipes_of(a), second = pipes_of(b);
  std::set<std::string> common;
  std::set_intersection(first.begin(), first.end(), second.begin(), second.end(), std::inserter(common, common.end()));
  return common;
}

// This program's descriptor of that pipe; -1: none.
int own_end(const std::string& pipe) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code closed;
    if (std::filesystem::read_symlink(entry, closed) == pipe) return std::stoi(entry.path().filename());
  }
  return -1;
}

With with_net() {
  With with;
  with.net = {"example.com"};
  return with;
}

With with_command() {
  With with;
  with.cli = {"git *"};
  return with;
}

}  // namespace

TEST_CASE("a sandbox made ahead is used when nothing has changed") {
  for (With with : {With(), with_net(), with_command()}) {
    with.meanwhile = [] {};
    const Ran ran = run("echo ran", with);
    CHECK(ran.out == "ran");
    CHECK(ran.warm);
  }
}

TEST_CASE(
    "after a change of resolv.conf or hosts, a sandbox made ahead with a gateway is not used, and one without a "
    "gateway is used") {
  const Directory directory;
  const std::string other = directory.put("other", "nameserver 127.0.0.9\n");
  for (const char* file : {"/etc/resolv.conf", "/etc/hosts"}) {
    CAPTURE(file);
    CHECK(!warm_beside(with_net(), file, other));
    CHECK(warm_beside(With(), file, other));
  }
}

TEST_CASE("a sandbox made ahead is not used after one of its programs has changed") {
  const Directory directory;
  const std::string git = directory.put("git", "#!/bin/bash\n", 0755);
  CHECK(!warm_beside(with_command(), "/usr/bin/git", git));
  CHECK(warm_beside(With(), "/usr/bin/git", git));
}

TEST_CASE("after a change of the floor's files, an execution has the changed files") {
  const Directory directory;
  const std::string text = "cat /usr/bin/cut | head -c 11";
  CHECK(run(text).out != "#!/bin/bash");  // the slot keeps the tree of this floor
  const Replaced replaced("/usr/bin/cut", directory.put("cut", "#!/bin/bash\n", 0755));
  REQUIRE(replaced);
  ::usleep(1'100'000);
  CHECK(run(text).out == "#!/bin/bash");
}

TEST_CASE("a sandbox made ahead is not used after the files of its floor have changed") {
  const Directory directory;
  CHECK(!warm_beside(With(), "/usr/bin/cut", directory.put("cut", "#!/bin/bash\n", 0755)));
}

TEST_CASE(
    "only the process that will execute the script can read the pipe for the script, which contains the secrets") {
  With with;
  std::set<std::string> of_waiting, of_init, of_zygote;
  bool blocks = true;
  with.meanwhile = [&] {
    if (!wait_until(20'000, [] { return !processes_of(slot_uid()).empty(); })) return;
    const std::string waiting = std::to_string(processes_of(slot_uid()).front());
    of_waiting = common_pipes("self", waiting);  // this program is the engine
    for (const pid_t pid : view_processes()) of_init.merge(common_pipes("self", std::to_string(pid)));
    for (const std::string& pipe : of_waiting)
      if (!of_init.contains(pipe)) blocks = (::fcntl(own_end(pipe), F_GETFL) & O_NONBLOCK) == 0;
    // The zygote closes its copies when it has cloned the view.
    (void)wait_until(5'000, [&] {
      of_zygote = common_pipes(std::to_string(zygote()), waiting);
      return of_zygote.empty();
    });
  };
  const Ran ran = run("echo ran", with);
  CHECK(ran.warm);
  CHECK(of_waiting.size() == 3);  // the control: stdout, stderr, and the pipe for the script
  CHECK(of_init.size() == 2);     // stdout, stderr
  CHECK(of_zygote.empty());
  CHECK_FALSE(blocks);  // the engine, when it sends a script that is larger than the pipe
}

TEST_CASE("a sandbox made ahead is not used after one of its processes has exited") {
  With with = with_command();
  std::function<std::vector<pid_t>()> which;
  SUBCASE("pid 1") {
    which = [] { return view_processes(); };
  }
  SUBCASE("the process that waits to become the script") {
    which = [] { return processes_of(slot_uid()); };
  }
  std::size_t killed = 0;
  with.meanwhile = [&] {
    (void)wait_until(20'000, [&] { return !which().empty(); });  // `killed` shows whether it appeared
    for (const pid_t pid : which()) killed += ::kill(pid, SIGKILL) == 0 ? 1 : 0;
    ::usleep(100'000);
  };
  const Ran ran = run("echo ran", with);
  CHECK(killed > 0);
  CHECK(ran.out == "ran");
  CHECK(!ran.warm);
}

TEST_CASE(
    "in a sandbox made ahead, pid 1 and the process that becomes the script are behind every layer and have no "
    "secret") {
  With with;
  with.secrets = {{"KEY", "s3cret-of-this-run"}};
  std::vector<std::string> waiting, above;
  std::string environment;
  with.meanwhile = [&] {
    // It first takes the slot's uid.
    (void)wait_until(20'000, [] {
      const std::vector<pid_t> of_slot = processes_of(slot_uid());
      return of_slot.size() == 1 &&
             outside("grep -c '^Seccomp:.2' /proc/" + std::to_string(of_slot[0]) + "/status") == "1";
    });
    for (const pid_t pid : processes_of(slot_uid())) {
      const std::string proc = "/proc/" + std::to_string(pid);
      for (const char* line :
           {"Seccomp:\t2", "NoNewPrivs:\t1", "CapBnd:\t0000000000000000", "CapEff:\t0000000000000000"})
        waiting.push_back(outside("grep -c '^" + std::string(line) + "' " + proc + "/status"));
      // pid 1 of the view, which is uid 0 in it.
      const std::string parent = "/proc/$(awk '/^PPid:/ {print $2}' " + proc + "/status)";
      for (const char* line : {"Uid:\t0", "Seccomp:\t2", "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000"})
        above.push_back(outside("grep -c '^" + std::string(line) + "' " + parent + "/status"));
      environment += outside("tr '\\0' '\\n' < " + proc + "/environ");
    }
  };
  const Ran ran = run("echo $KEY | wc -c", with);
  CHECK(ran.out == "19");
  CHECK(ran.warm);
  CHECK(waiting == std::vector<std::string>(4, "1"));  // one process
  CHECK(above == std::vector<std::string>(4, "1"));
  const std::string status = "/proc/" + std::to_string(zygote()) + "/status";
  CHECK(outside("grep -c '^CapBnd:.0000000000000000' " + status) == "1");
  CHECK(outside("grep -c '^CapEff:.0000000000000000' " + status) == "0");  // the control: it makes views
  CHECK(environment.find("s3cret") == std::string::npos);
}
