#include "tests/kernel/command_room.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "server/landlock/landlock.h"
#include "tests/kernel/in_child.h"

namespace band::test {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kNobody = 65534;

void must(bool success, const std::string& what) {
  if (success) return;
  std::perror(what.c_str());
  ::_exit(99);
}

void show(const std::string& source, const std::string& target, unsigned long flags) {
  must(::mount(source.c_str(), target.c_str(), nullptr, MS_BIND, nullptr) == 0, "bind " + source);
  must(::mount(nullptr, target.c_str(), nullptr, MS_BIND | MS_REMOUNT | flags, nullptr) == 0, "remount " + target);
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

[[noreturn]] void become(const floor::Command& command, const std::vector<std::string>& arguments,
                         const RoomOptions& options) {
  must(::setgroups(0, nullptr) == 0 && ::setresgid(kNobody, kNobody, kNobody) == 0 &&
           ::setresuid(kNobody, kNobody, kNobody) == 0 && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0,
       "become nobody");
  if (options.landlock) {
    landlock::Ruleset plan{command.paths, options.tcp};
    using layout::Access;
    plan.paths.insert(plan.paths.end(), {{"/", Access::List}, {"/etc", Access::Read}, {"/tmp", Access::Own}});
    for (const char* device : {"/dev/null", "/dev/urandom"}) plan.paths.push_back({device, Access::Device});
    const Status restricted = landlock::restrict(plan);
    if (!restricted.ok()) std::fprintf(stderr, "%s\n", restricted.error().message().c_str());
    must(restricted.ok(), "restrict");
  }
  std::vector<std::string> argv = command.argv, env = {"PATH=/usr/bin", "HOME=/tmp", "LC_ALL=C.UTF-8"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  env.insert(env.end(), options.more_env.begin(), options.more_env.end());
  if (options.env) env.insert(env.end(), command.env.begin(), command.env.end());
  ::execve(argv[0].c_str(), pointers(argv).data(), pointers(env).data());
  std::perror("exec");
  ::_exit(98);
}

}  // namespace

CommandRoom::CommandRoom(const floor::CommandFloor& floor) : floor_(floor) {
  REQUIRE(::mkdtemp(place_.data()) != nullptr);
  REQUIRE(::mkdir(tmp().c_str(), 0700) == 0);
  REQUIRE(::chown(tmp().c_str(), kNobody, kNobody) == 0);
}

CommandRoom::~CommandRoom() {
  fs::remove_all(tmp());
  fs::remove(place_);
}

void CommandRoom::enter() const {
  must(::unshare(CLONE_NEWNS) == 0, "unshare");
  must(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "make / private");
  must(::mount("tmpfs", place_.c_str(), "tmpfs", 0, "mode=0755") == 0, "mount tmpfs");
  std::vector<std::string> tops = {"usr", "etc"};
  tops.insert(tops.end(), floor_.tops.begin(), floor_.tops.end());
  for (const std::string& top : tops) {
    must(::mkdir((place_ + "/" + top).c_str(), 0755) == 0, "mkdir " + top);
    show(floor_.path + "/" + top, place_ + "/" + top, MS_RDONLY);
  }
  for (const char* name : {"bin", "lib", "lib64", "sbin"})
    must(::symlink((std::string("usr/") + name).c_str(), (place_ + "/" + name).c_str()) == 0, name);
  for (const floor::ProgramDirectory& directory : floor_.directories)
    show(directory.path, place_ + directory.path, MS_RDONLY | (directory.executable ? 0 : MS_NOEXEC));
  for (const char* name : {"/tmp", "/dev"}) must(::mkdir((place_ + name).c_str(), 0755) == 0, name);
  show("/dev", place_ + "/dev", 0);
  show(tmp(), place_ + "/tmp", MS_NOEXEC);
  must(::chroot(place_.c_str()) == 0 && ::chdir("/tmp") == 0, "chroot");
}

Ran CommandRoom::run(const std::string& name, const std::vector<std::string>& arguments, RoomOptions options) const {
  const floor::Command& command = floor_.commands.at(name);
  const std::string text = in_child([&] {
    enter();
    int ends[2];
    must(::pipe(ends) == 0, "pipe");
    const pid_t pid = ::fork();
    if (pid == 0) {
      int input = ::open("/tmp/in", O_RDONLY);
      if (input < 0) input = ::open("/dev/null", O_RDONLY);
      must(::dup2(input, 0) == 0 && ::dup2(ends[1], 1) == 1 && ::dup2(ends[1], 2) == 2, "dup2");
      ::close(ends[0]);
      ::close(ends[1]);
      become(command, arguments, options);
    }
    ::close(ends[1]);
    std::string output;
    char bytes[4096];
    for (ssize_t n = 0; (n = ::read(ends[0], bytes, sizeof bytes)) > 0;)
      output.append(bytes, static_cast<std::size_t>(n));
    int status = 0;
    ::waitpid(pid, &status, 0);
    return std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)) + "\n" + output;
  });
  const std::size_t line = text.find('\n');
  if (line == std::string::npos) return {-1, text};
  return {std::atoi(text.c_str()), text.substr(line + 1)};
}

}  // namespace band::test
