// The control groups of several servers on one machine.
#include "server/slot/server_groups.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/base/io.h"
#include "tests/user_ids.h"

using namespace band;

namespace {

// A server with two slots. Other servers' ids are below and above its own.
const uid_t kIds = test::own_user_ids() + 4;
const uid_t kOtherIds = kIds + 8;

slot::Config a_server(const std::string& instance, uid_t uid_base = kIds) {
  return {*slot::find_cgroups(), instance + "_" + std::to_string(::getpid()), uid_base, kIds, 2};
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

// Makes the groups of a server, and removes them. Returns the error, or "".
std::string error_of(const slot::Config& config) {
  const auto groups = slot::ServerGroups::make(config);
  return groups.ok() ? "" : groups.error().message();
}

// A server in another process, with the group slot-0-0.
class OtherServer {
 public:
  explicit OtherServer(const slot::Config& config) {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    const base::Fd read(ends[0]);
    base::Fd write(ends[1]);
    pid_ = ::fork();
    if (pid_ == 0) {
      const auto groups = slot::ServerGroups::make(config);
      const std::string slot = slot::group_of(config.cgroups.memory, config) + "/slot-0-0";
      const bool made = groups.ok() && ::mkdir(slot.c_str(), 0755) == 0;
      if (::write(write.get(), made ? "y" : "n", 1) == 1) ::pause();
      ::_exit(1);
    }
    write.reset();
    char byte = 0;
    REQUIRE(::read(read.get(), &byte, 1) == 1);
    REQUIRE(byte == 'y');
  }
  ~OtherServer() { kill(); }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_ = 0;
};

// A process that is in a control group.
class Member {
 public:
  explicit Member(const std::string& group) : pid_(::fork()) {
    if (pid_ == 0) {
      ::pause();
      ::_exit(0);
    }
    REQUIRE(base::write_kernel_file(group + "/cgroup.procs", std::to_string(pid_)).ok());
  }
  ~Member() {
    if (!lives()) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  bool lives() const {
    if (lives_) lives_ = ::waitpid(pid_, nullptr, WNOHANG) == 0;
    return lives_;
  }

 private:
  pid_t pid_;
  mutable bool lives_ = true;
};

}  // namespace

TEST_CASE("a server leaves the control groups of a living server alone, and removes those of a killed one") {
  const slot::Config config = a_server("kernel_test");
  const std::string left = slot::group_of(config.cgroups.memory, config) + "/slot-0-0";
  OtherServer other(config);
  // Like the processes of an execution of that server.
  const Member member(left);
  CHECK(error_of(config).find("cannot lock") != std::string::npos);
  slot::remove_dead_groups(config.cgroups);
  CHECK(error_of(a_server("another", kOtherIds)) == "");
  CHECK(exists(left));
  CHECK(member.lives());

  other.kill();
  slot::remove_dead_groups(config.cgroups);
  CHECK(exists(left));  // a process is in it; only a server with the same instance kills it
  CHECK(error_of(config) == "");
  CHECK(!exists(left));
  CHECK(!member.lives());
}

TEST_CASE("a server removes the empty groups of a killed server with another instance") {
  const slot::Config config = a_server("kernel_test");
  const std::string group = slot::group_of(config.cgroups.memory, config);
  OtherServer other(config);
  CHECK(error_of(a_server("another", kOtherIds)) == "");
  CHECK(exists(group + "/slot-0-0"));  // the control
  other.kill();
  CHECK(error_of(a_server("another", kOtherIds)) == "");
  CHECK(!exists(group));
}

TEST_CASE("two servers of a machine do not share user ids of slots") {
  const slot::Config config = a_server("kernel_test");
  OtherServer other(config);
  for (const uid_t uid : {kIds - 1, kIds, kIds + 1}) {
    const slot::Config same = a_server("another", uid);
    CHECK(error_of(same).starts_with("slot: another server on this machine has user ids of " + std::to_string(uid)));
    CHECK(!slot::uids_free(same).ok());
    CHECK(!exists(slot::group_of(same.cgroups.memory, same)));
  }
  for (const uid_t uid : {kIds - 2, kIds + 2}) {
    CHECK(error_of(a_server("another", uid)) == "");
    CHECK(slot::uids_free(a_server("another", uid)).ok());
  }
  CHECK(slot::uids_free(config).ok());  // the server itself
  other.kill();
  CHECK(slot::uids_free(a_server("another")).ok());
}
