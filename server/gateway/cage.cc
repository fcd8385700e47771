#include "server/gateway/cage.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "server/base/fd.h"
#include "server/landlock/landlock.h"
#include "server/privileges/user.h"

namespace band::gateway {
namespace {

// The most that 4,096 connections (server.schema.json) need: two sockets each, and two pipes when neither side reads.
constexpr rlim_t kDescriptors = 32'768;
// 4,096 connections that each hold two copies of their first 64 KiB need 512 MiB. Only a bug of this program can exceed
// the limit, and exceeding it ends one execution.
constexpr rlim_t kDataBytes = 1 << 30;

Status set_limit(int resource, rlim_t most, const char* what) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0)
    return layer_error("gateway", std::string("cannot read the limit on ") + what, errno);
  limit.rlim_cur = limit.rlim_max = std::min(most, limit.rlim_max);
  if (::setrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0)
    return layer_error("gateway", std::string("cannot limit ") + what, errno);
  return done();
}

// The files by which c-ares configures name resolution, as far as they exist. Opening follows links: on many machines
// resolv.conf is a link.
landlock::Ruleset readable_files() {
  landlock::Ruleset ruleset;
  for (const char* path : {"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/dev/urandom"})
    if (::access(path, R_OK) == 0) ruleset.paths.push_back({path, layout::Access::Read});
  ruleset.tcp = landlock::Tcp::All;
  return ruleset;
}

cage::Calls calls() {
  cage::Calls calls("gateway");
  calls.allow({SCMP_SYS(connect), SCMP_SYS(bind), SCMP_SYS(getsockname), SCMP_SYS(getpeername), SCMP_SYS(setsockopt),
               SCMP_SYS(getsockopt), SCMP_SYS(sendto), SCMP_SYS(sendmsg), SCMP_SYS(splice), SCMP_SYS(pipe2),
               SCMP_SYS(writev), SCMP_SYS(readv)});
  // Asio
  calls.allow({SCMP_SYS(epoll_create1), SCMP_SYS(epoll_ctl), SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait),
               SCMP_SYS(eventfd2), SCMP_SYS(timerfd_create), SCMP_SYS(timerfd_settime)});
  for (const unsigned long request : {FIONBIO, FIONREAD})
    calls.allow(SCMP_SYS(ioctl), SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffff, request));
  // Not F_SETOWN: it sends signals.
  for (const int command : {F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_SETPIPE_SZ})
    calls.allow(SCMP_SYS(fcntl), SCMP_A1(SCMP_CMP_EQ, static_cast<scmp_datum_t>(command)));
  for (const int family : {AF_INET, AF_INET6})
    calls.allow(SCMP_SYS(socket), SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(family)));
  // For c-ares. Landlock restricts which files can be opened.
  calls.allow(SCMP_SYS(openat), SCMP_A2(SCMP_CMP_MASKED_EQ, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY));
  calls.allow({SCMP_SYS(newfstatat), SCMP_SYS(uname)});
  return calls;
}

}  // namespace

Status leave_root(const std::string& user) {
  BAND_TRY(const privileges::Ids ids, privileges::ids_of(user));
  rlimit files{kDescriptors, kDescriptors};
  if (::setrlimit(RLIMIT_NOFILE, &files) != 0) BAND_CHECK(set_limit(RLIMIT_NOFILE, kDescriptors, "open files"));
  BAND_CHECK(set_limit(RLIMIT_FSIZE, 0, "the size of files"));
#ifndef BAND_SANITIZED
  BAND_CHECK(set_limit(RLIMIT_DATA, kDataBytes, "memory"));
#endif
  return privileges::become(ids);
}

Result<cage::Cage> make_cage() { return cage::compile(calls()); }

Status close_cage(const cage::Cage& cage) {
  BAND_TRY(const base::Fd files, landlock::prepare(readable_files()));
  // landlock::enforce() needs no_new_privs, which become() has set. This call must follow the last open(2) of
  // cage::close(); therefore cage::close() makes this call.
  BAND_CHECK(cage::close(cage, [&] { return landlock::enforce(files); }));
  if (base::Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)))
    return layer_error("gateway", "the gateway process can still create a Unix socket", 0);
  if (base::Fd(::open("/etc/passwd", O_RDONLY | O_CLOEXEC)) || errno != EACCES)
    return layer_error("gateway", "the gateway process can still open /etc/passwd", 0);
  return done();
}

}  // namespace band::gateway
