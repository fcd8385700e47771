#include "client/platform/files.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tests/pure/client/client_test.h"

using namespace band::client;

using File = std::unique_ptr<FILE, int (*)(FILE*)>;

TEST_CASE("a file's modification time has its nanoseconds") {
  const File file(std::tmpfile(), std::fclose);
  REQUIRE(file);
  const std::timespec times[] = {{0, UTIME_OMIT}, {1'600'000'000, 123'456'000}};
  REQUIRE(::futimens(::fileno(file.get()), times) == 0);
  struct ::stat found = {};
  REQUIRE(::fstat(::fileno(file.get()), &found) == 0);
  CHECK(modification_time(found).tv_sec == 1'600'000'000);
  CHECK(modification_time(found).tv_nsec == 123'456'000);
}

TEST_CASE("a file can be synced, and a closed descriptor is an error") {
  const File file(std::tmpfile(), std::fclose);
  REQUIRE(file);
  CHECK(sync_file(::fileno(file.get())) == 0);
  CHECK(sync_file(-1) == -1);
}

namespace {

// Returns the errno of rename_to_new() in a process in which the kernel returns `refused` for each of `calls`; 0 for
// success.
int renamed_without(const std::vector<unsigned>& calls, int refused, const std::string& from, const std::string& to) {
  std::vector<sock_filter> filter{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const unsigned call : calls) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(refused)));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  const pid_t child = ::fork();
  if (child == 0) {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
      ::_exit(255);
    ::_exit(band::client::rename_to_new(AT_FDCWD, from.c_str(), to.c_str()) == 0 ? 0 : errno);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#ifdef __NR_link
const std::vector<unsigned> kLinks{__NR_link, __NR_linkat};
#else
const std::vector<unsigned> kLinks{__NR_linkat};
#endif
const std::vector<unsigned> kRename{__NR_renameat2};

}  // namespace

TEST_CASE(
    "a file is renamed without replacing another one, on a file system without hard links or without "
    "RENAME_NOREPLACE") {
  struct Row {
    std::vector<unsigned> calls;
    int refused;
  };
  for (const Row& row : {Row{{}, 0}, Row{kLinks, EPERM}, Row{kRename, EINVAL}, Row{kRename, ENOSYS}}) {
    CAPTURE(row.refused);
    const band::test::TempDir dir;
    dir.write("from", "new");
    dir.write("taken", "old");
    CHECK(renamed_without(row.calls, row.refused, dir.path("from"), dir.path("taken")) == EEXIST);
    CHECK(dir.read("taken") == "old");
    CHECK(dir.read("from") == "new");
    CHECK(renamed_without(row.calls, row.refused, dir.path("from"), dir.path("to")) == 0);
    CHECK(dir.read("to") == "new");
    CHECK(dir.names() == std::vector<std::string>{"taken", "to"});
  }
  const band::test::TempDir dir;
  dir.write("from", "new");
  std::vector<unsigned> both = kLinks;
  both.push_back(kRename.front());
  CHECK(renamed_without(both, ENOSYS, dir.path("from"), dir.path("to")) == ENOSYS);
  CHECK(dir.names() == std::vector<std::string>{"from"});
}
