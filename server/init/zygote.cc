#include "server/init/zygote.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "server/base/channel.h"
#include "server/base/fd.h"
#include "server/init/order.h"
#include "server/init/report.h"
#include "server/init/setup.h"
#include "server/privileges/privileges.h"

namespace band::init {
namespace {

// stderr of the zygote is the server's log. When the zygote exits, the server exits.
[[noreturn]] void stop_serving(const char* reason) {
  ::dprintf(STDERR_FILENO, "the zygote of band-init exits: %s\n", reason);
  ::_exit(1);
}

struct Attached {
  base::Fd control;
  std::array<base::Fd, 3> streams;
  base::Fd tree, network, script, group;
  std::vector<base::Fd> tasks;
};

// Returns false when the message is not an order. Only the engine can send one, so this is an error in band.
bool read_order(base::Message message, Attached& attached) {
  Order order;
  if (message.text.size() != sizeof order) return false;
  std::memcpy(&order, message.text.data(), sizeof order);
  if (order.for_script > 1 || order.in_group > 1 || order.tasks > kMostTasks ||
      message.fds.size() != 6 + order.for_script + order.in_group + order.tasks)
    return false;
  auto next = message.fds.begin();
  attached.control = std::move(*next++);
  for (base::Fd& stream : attached.streams) stream = std::move(*next++);
  attached.tree = std::move(*next++);
  attached.network = std::move(*next++);
  if (order.for_script == 1) attached.script = std::move(*next++);
  if (order.in_group == 1) attached.group = std::move(*next++);
  for (; next != message.fds.end(); ++next) attached.tasks.push_back(std::move(*next));
  return true;
}

// Like fork(2), but the child is pid 1 of new namespaces. A system call, because the C library has no function for it.
// The C library's copy of the thread id stays valid in the child: it is 1, like that of the zygote.
long clone_view(const Attached& attached) {
  clone_args args{};
  args.flags = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS;
  args.exit_signal = SIGCHLD;
  if (attached.group) {
    args.flags |= CLONE_INTO_CGROUP;
    args.cgroup = static_cast<__u64>(attached.group.get());
  }
  return ::syscall(SYS_clone3, &args, sizeof args);
}

Status take_descriptors(const Attached& attached) {
  const int wanted[] = {attached.streams[0].get(), attached.streams[1].get(), attached.streams[2].get(),
                        attached.control.get()};
  static_assert(kControlFd == 3 && kOrdersFd == 3);  // the zygote has 0 to 3, so no descriptor of an order is below 4
  for (int number = 0; number <= kControlFd; ++number)
    if (::dup2(wanted[number], number) < 0) return layer_error("init", "dup2", errno);
  return done();
}

Status join_groups(const Attached& attached) {
  for (const base::Fd& tasks : attached.tasks)
    if (::write(tasks.get(), "0", 1) != 1)
      return layer_error("init", "cannot enter a control group of the slot", errno);
  // After the groups: /proc/self/cgroup then contains "/" instead of the slot's number and its count of executions.
  if (::unshare(CLONE_NEWCGROUP) != 0) return layer_error("init", "cannot make a cgroup namespace", errno);
  return done();
}

// Makes the tree the root. The old root, which contained only band-init, is no longer mounted after this.
Status enter_tree(const base::Fd& tree) {
  const auto failed = [](const char* doing) { return layer_error("view", doing, errno); };
  if (::move_mount(tree.get(), "", AT_FDCWD, kViewPlace, MOVE_MOUNT_F_EMPTY_PATH) != 0)
    return failed("cannot mount the sandbox's file system (move_mount)");
  if (::chdir(kViewPlace) != 0 || ::syscall(SYS_pivot_root, ".", ".") != 0)
    return failed("cannot make the sandbox's file system the root (pivot_root)");
  if (::umount2(".", MNT_DETACH) != 0 || ::chdir("/") != 0) return failed("cannot unmount the old root");
  struct stat root {
  }, wanted{};
  if (::stat("/", &root) != 0 || ::fstat(tree.get(), &wanted) != 0) return failed("cannot examine the root");
  if (root.st_dev != wanted.st_dev || root.st_ino != wanted.st_ino)
    return layer_error("view", "the root of the view is not its tree", 0);
  return done();
}

Status enter_view(const Attached& attached) {
  ::signal(SIGCHLD, SIG_DFL);  // band-init must reap its children: it reports their exit status
  ::prctl(PR_SET_NAME, "band-init");
  BAND_CHECK(join_groups(attached));
  if (::setns(attached.network.get(), CLONE_NEWNET) != 0)
    return layer_error("init", "cannot enter the slot's network namespace", errno);
  return enter_tree(attached.tree);
}

// Returns true in the process that was cloned for the next order, and then sets `script` to the order's pipe for the
// Script.
bool serve_order(base::Fd& script) {
  auto message = base::receive(kOrdersFd, sizeof(Order), kMostOrderFds);
  if (!message.ok()) stop_serving(message.error().message().c_str());
  if (message->text.empty()) ::_exit(0);  // the engine has closed the channel
  Attached attached;
  if (!read_order(std::move(*message), attached)) stop_serving("it received a malformed order");
  const long pid = clone_view(attached);
  if (pid < 0) report_to(attached.control.get(), failure(layer_error("init", "cannot clone a process", errno)));
  if (pid != 0) return false;
  if (const Status taken = take_descriptors(attached); !taken.ok()) ::_exit(1);
  if (const Status entered = enter_view(attached); !entered.ok()) fail(entered.error());
  script = std::move(attached.script);
  return true;
}

// Closes all descriptors above kControlFd except `kept` (-1: no exception).
Status close_others(int kept) {
  constexpr unsigned kFirst = kControlFd + 1;
  const auto closed = [](unsigned from, unsigned to) { return from > to || ::close_range(from, to, 0) == 0; };
  const bool done_so =
      kept < 0 ? closed(kFirst, ~0u)
               : closed(kFirst, static_cast<unsigned>(kept) - 1) && closed(static_cast<unsigned>(kept) + 1, ~0u);
  return done_so ? done() : Status(layer_error("init", "close_range", errno));
}

syscalls::Filter receive_filter() {
  const auto message = base::receive(kOrdersFd, base::kMostMessageBytes);
  if (!message.ok()) stop_serving(message.error().message().c_str());
  if (message->text.empty()) ::_exit(0);
  auto filter = decode_filter(message->text);
  if (!filter.ok()) stop_serving(filter.error().message().c_str());
  if (const Status loaded = syscalls::load_for_setup(*filter); !loaded.ok())
    stop_serving(loaded.error().message().c_str());
  if (!base::send(kOrdersFd, kReady).ok()) ::_exit(0);  // the engine has closed the channel
  return std::move(*filter);
}

}  // namespace

View await_order() {
  if (::getpid() != 1) stop_serving("it must be pid 1 of a pid namespace");  // otherwise views could outlive it
  if (const Status emptied = privileges::empty_bounding_set(); !emptied.ok())
    stop_serving(emptied.error().message().c_str());
  ::prctl(PR_SET_NAME, "band-zygote");
  View view{receive_filter(), base::Fd()};
  ::signal(SIGCHLD, SIG_IGN);  // the kernel reaps band-init; the engine waits for its pidfd
  while (!serve_order(view.script)) {
  }
  if (const Status closed = close_others(view.script.get()); !closed.ok()) fail(closed.error());
  return view;
}

}  // namespace band::init
