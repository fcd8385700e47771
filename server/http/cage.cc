#include "server/http/cage.h"

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "server/base/fd.h"
#include "server/cage/cage.h"
#include "server/privileges/user.h"

namespace band::http {
namespace {

cage::Calls calls() {
  cage::Calls calls("http");
  calls.allow({SCMP_SYS(pread64), SCMP_SYS(memfd_create), SCMP_SYS(set_robust_list), SCMP_SYS(rseq),
               SCMP_SYS(sched_getaffinity)});
  calls.allow(SCMP_SYS(clone), SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
  // The flags of clone3 are behind a pointer, which seccomp cannot check. With ENOSYS glibc falls back to clone; with
  // EPERM it would fail.
  calls.answer(SCMP_SYS(clone3), ENOSYS);
  calls.allow(SCMP_SYS(socketpair), SCMP_A0(SCMP_CMP_EQ, AF_UNIX));
  // Sends only to the socket's peer: with an address, or with MSG_FASTOPEN, these calls would connect.
  calls.allow(SCMP_SYS(sendto), SCMP_A4(SCMP_CMP_EQ, 0));
  calls.allow(SCMP_SYS(sendmsg), SCMP_A2(SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, 0));
  // Not F_SETOWN, which sends signals.
  for (const int command : {F_GETFD, F_SETFD, F_GETFL, F_ADD_SEALS, F_GET_SEALS})
    calls.allow(SCMP_SYS(fcntl), SCMP_A1(SCMP_CMP_EQ, static_cast<scmp_datum_t>(command)));
  // For abort() only.
  calls.allow(SCMP_SYS(tgkill), SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(::getpid())));
  return calls;
}

}  // namespace

Status leave_root(const std::string& user) {
  BAND_TRY(const privileges::Ids ids, privileges::ids_of(user));
  return privileges::become(ids);
}

Status close_cage() {
  BAND_TRY(const cage::Cage cage, cage::compile(calls()));
  BAND_CHECK(cage::close(cage));
  // Verifies that the forbidden calls fail.
  if (base::Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)))
    return layer_error("http", "the seccomp filter allows socket(AF_INET)", 0);
#ifndef BAND_SANITIZED
  if (base::Fd(::open("/proc/self/status", O_RDONLY | O_CLOEXEC)))
    return layer_error("http", "the seccomp filter allows open()", 0);
#endif
  return done();
}

}  // namespace band::http
