#include <fcntl.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <memory>
#include <string_view>

#include "server/base/fd.h"
#include "server/base/io.h"
#include "server/syscalls/bpf.h"
#include "server/syscalls/list.h"
#include "server/syscalls/syscalls.h"

namespace band::syscalls {
namespace {

using Context = std::unique_ptr<void, decltype(&::seccomp_release)>;

struct Refusal {
  const char* name;
  std::initializer_list<scmp_arg_cmp> when;
};

// The kernel uses only the lower 32 bits of these arguments. A comparison of 64 bits would not match a value that also
// has bits in the upper half, so a mask selects the lower half. (is_set also refuses values that have bits only in the
// upper half; no program needs such values.)
constexpr scmp_datum_t kLow32 = 0xffffffff;
scmp_arg_cmp is_set(unsigned arg) { return {arg, SCMP_CMP_NE, 0, 0}; }
scmp_arg_cmp low_is(unsigned arg, scmp_datum_t value) { return {arg, SCMP_CMP_MASKED_EQ, kLow32, value}; }
scmp_arg_cmp has_bit(unsigned arg, scmp_datum_t bit) { return {arg, SCMP_CMP_MASKED_EQ, bit, bit}; }
scmp_arg_cmp lacks_bit(unsigned arg, scmp_datum_t bit) { return {arg, SCMP_CMP_MASKED_EQ, bit, 0}; }

Error seccomp_error(const std::string& doing, int result) { return layer_error("syscalls", doing, -result); }

Result<Context> context(std::uint32_t default_action) {
  Context filter(::seccomp_init(default_action), ::seccomp_release);
  if (!filter) return layer_error("syscalls", "seccomp_init", ENOMEM);
  ::seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  ::seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);  // a binary tree instead of 300 comparisons in a row
  return filter;
}

Status rule(const Context& filter, std::uint32_t action, const char* name, std::initializer_list<scmp_arg_cmp> when) {
  const int number = ::seccomp_syscall_resolve_name(name);
  // If the architecture does not have the call, or libseccomp does not support it, the default action applies.
  if (number < 0) return done();
  const int result =
      ::seccomp_rule_add_array(filter.get(), action, number, static_cast<unsigned>(when.size()), when.begin());
  if (result != 0) return seccomp_error(std::string("cannot add the rule of ") + name, result);
  return done();
}

Result<std::string> exported(const Context& filter) { return compile_bpf(filter.get(), "syscalls"); }

Status allow_sockets(const Context& filter) {
  const auto socket = [&](int family, int type, std::initializer_list<int> protocols) -> Status {
    for (const int protocol : protocols) {
      // Compares the low four bits of the type; the other bits are SOCK_CLOEXEC and SOCK_NONBLOCK.
      BAND_CHECK(rule(filter, SCMP_ACT_ALLOW, "socket",
                      {{0, SCMP_CMP_EQ, static_cast<scmp_datum_t>(family), 0},
                       {1, SCMP_CMP_MASKED_EQ, 0xf, static_cast<scmp_datum_t>(type)},
                       {2, SCMP_CMP_EQ, static_cast<scmp_datum_t>(protocol), 0}}));
    }
    return done();
  };
  for (const int family : {AF_INET, AF_INET6}) {
    BAND_CHECK(socket(family, SOCK_STREAM, {0, IPPROTO_TCP}));
    BAND_CHECK(socket(family, SOCK_DGRAM, {0, IPPROTO_UDP}));
  }
  for (const int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET}) BAND_CHECK(socket(AF_UNIX, type, {0}));
  return rule(filter, SCMP_ACT_ALLOW, "socketpair", {{0, SCMP_CMP_EQ, AF_UNIX, 0}});
}

template <std::size_t count>
bool contains(const char* const (&list)[count], std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

Result<std::string> list_filter() {
  BAND_TRY(auto filter, context(SCMP_ACT_ERRNO(ENOSYS)));
  for (const char* name : kAllowed) BAND_CHECK(rule(filter, SCMP_ACT_ALLOW, name, {}));
  for (const char* name : kSetUp) BAND_CHECK(rule(filter, SCMP_ACT_ALLOW, name, {}));
  BAND_CHECK(allow_sockets(filter));
  for (const char* name : kNotPermitted) {
    const std::string_view text = name;
    if (text != "socket" && text != "socketpair" && text != "personality" && !contains(kSetUp, text))
      BAND_CHECK(rule(filter, SCMP_ACT_ERRNO(EPERM), name, {}));
  }
  // personality: the query (0xffffffff) and the default personality are allowed; READ_IMPLIES_EXEC is not.
  BAND_CHECK(rule(filter, SCMP_ACT_ALLOW, "personality", {low_is(0, 0)}));
  BAND_CHECK(rule(filter, SCMP_ACT_ALLOW, "personality", {low_is(0, 0xffffffff)}));
  return exported(filter);
}

// Adds a refusal to the filter that allows by default. Returns an error if libseccomp does not support the name of the
// call, because the call would be allowed without this rule.
struct Refuse {
  const Context& filter;

  Status operator()(const char* name, std::initializer_list<scmp_arg_cmp> when) const {
    if (::seccomp_syscall_resolve_name(name) == __NR_SCMP_ERROR)
      return layer_error("syscalls", std::string("libseccomp does not support the system call ") + name, 0);
    return rule(filter, SCMP_ACT_ERRNO(EPERM), name, when);
  }
};

constexpr scmp_datum_t kMfdNoexecSeal = 0x8;  // linux/memfd.h, Linux 6.3; older kernels refuse it as unknown
// asm-generic/ioctls.h. TIOCSETD would make the kernel load a module for another line discipline (ioctl_tty(2)).
constexpr scmp_datum_t kTiocsti = 0x5412, kTioclinux = 0x541c, kTiocsetd = 0x5423;
constexpr scmp_datum_t kSetuid = 04000, kSetgid = 02000;
// CLONE_NEWTIME (0x80) is not in the list, because it exists only in unshare and clone3: in clone the low byte of the
// flags is the exit signal.
constexpr scmp_datum_t kNamespaces[] = {CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                                        CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET};

// The kernel lets a process change limits, scheduling and priority of all processes with its uid, so a declared
// interpreter could make other commands fail. Therefore only the pid 0 is allowed, which means the calling process or
// thread. sched_setaffinity stays allowed with other pids: it only selects the processor, and glibc calls it with the
// ids of threads.
Status leave_others_alone(const Refuse& refuse) {
  BAND_CHECK(refuse("prlimit64", {is_set(0), is_set(2)}));
  for (const char* name : {"sched_setattr", "sched_setparam", "sched_setscheduler"})
    BAND_CHECK(refuse(name, {is_set(0)}));
  BAND_CHECK(refuse("setpriority", {is_set(1)}));
  return refuse("setpriority", {low_is(0, PRIO_USER)});  // here 0 means all processes of this uid
}

Result<std::string> argument_filter() {
  BAND_TRY(auto filter, context(SCMP_ACT_ALLOW));
  const Refuse refuse{filter};
  BAND_CHECK(leave_others_alone(refuse));
  // The last close(2) of a socket with SO_LINGER blocks until the peer has read all data (socket(7)), and a script can
  // send the socket to the server.
  BAND_CHECK(refuse("setsockopt", {low_is(1, SOL_SOCKET), low_is(2, SO_LINGER)}));
  for (const scmp_datum_t flag : kNamespaces) BAND_CHECK(refuse("clone", {has_bit(0, flag)}));
  BAND_CHECK(refuse("memfd_create", {lacks_bit(1, kMfdNoexecSeal)}));
  for (const scmp_datum_t command : {kTiocsti, kTioclinux, kTiocsetd})
    BAND_CHECK(refuse("ioctl", {low_is(1, command)}));
  // A lease on a file in a shared directory blocks other programs that open it (fcntl(2), F_SETLEASE).
  BAND_CHECK(refuse("fcntl", {low_is(1, F_SETLEASE)}));
  // Further seccomp filters of the script could change the behaviour of programs that it starts.
  BAND_CHECK(refuse("prctl", {low_is(0, 22 /* PR_SET_SECCOMP */)}));
  for (const scmp_datum_t bit : {kSetuid, kSetgid}) {
    BAND_CHECK(refuse("chmod", {has_bit(1, bit)}));
    BAND_CHECK(refuse("fchmod", {has_bit(1, bit)}));
    BAND_CHECK(refuse("fchmodat", {has_bit(2, bit)}));
    BAND_CHECK(refuse("mknod", {has_bit(1, bit)}));
    BAND_CHECK(refuse("mknodat", {has_bit(2, bit)}));
    BAND_CHECK(refuse("creat", {has_bit(1, bit)}));
    // The kernel uses the mode only with these flags.
    for (const scmp_datum_t making : {scmp_datum_t{O_CREAT}, scmp_datum_t{O_TMPFILE & ~O_DIRECTORY}}) {
      BAND_CHECK(refuse("open", {has_bit(1, making), has_bit(2, bit)}));
      BAND_CHECK(refuse("openat", {has_bit(2, making), has_bit(3, bit)}));
    }
  }
  return exported(filter);
}

Result<std::string> after_setup_filter() {
  BAND_TRY(auto filter, context(SCMP_ACT_ALLOW));
  for (const char* name : kSetUp) {
    if (::seccomp_syscall_resolve_name(name) < 0)
      return layer_error("syscalls", std::string("libseccomp does not support the system call ") + name, 0);
    BAND_CHECK(rule(filter, SCMP_ACT_ERRNO(contains(kNotPermitted, name) ? EPERM : ENOSYS), name, {}));
  }
  return exported(filter);
}

Result<std::string> watcher_filter() {
  BAND_TRY(auto filter, context(SCMP_ACT_ERRNO(EPERM)));
  for (const char* name : kWatcher) BAND_CHECK(rule(filter, SCMP_ACT_ALLOW, name, {}));
  return exported(filter);
}

}  // namespace

Result<std::string> compile_bpf(void* filter, const std::string& layer) {
  base::Fd fd(::memfd_create("bpf", MFD_CLOEXEC));
  if (!fd) return layer_error(layer, "memfd_create", errno);
  const int result = ::seccomp_export_bpf(filter, fd.get());
  if (result != 0) return layer_error(layer, "cannot compile the seccomp filter", -result);
  if (::lseek(fd.get(), 0, SEEK_SET) != 0) return layer_error(layer, "lseek", errno);
  return base::read_all(fd.get(), 1 << 20);
}

Result<Filter> make_filter() {
  BAND_TRY(auto list, list_filter());
  BAND_TRY(auto arguments, argument_filter());
  BAND_TRY(auto after_setup, after_setup_filter());
  BAND_TRY(auto watcher, watcher_filter());
  return Filter{std::move(list), std::move(arguments), std::move(after_setup), std::move(watcher)};
}

}  // namespace band::syscalls
