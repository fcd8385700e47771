// Who called sudo: what is theirs is written by them, and never by root in a directory of theirs.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "schemas/core/result.h"

namespace band::client {

struct Invoker {
  std::string name, home;  // as the user database has them, whatever $HOME says
  uid_t uid = 0;
  gid_t gid = 0;
};

// By $SUDO_USER, $SUDO_UID and $SUDO_GID. Nothing when this process is not root, when none of them is set, or when root
// itself called sudo. Error (Code::Usage): they are not one user of this machine.
Result<std::optional<Invoker>> sudo_invoker();

// Does `act` in a child process that is `user` for good (ids, no supplementary group, home, umask 077), and returns its
// error, which a process of that user's may have written. For single-threaded programs: it forks.
Status as_user(const Invoker& user, const std::function<Status()>& act);

// The same, or just `act` when there is none.
Status as_invoker(const std::optional<Invoker>& user, const std::function<Status()>& act);

}  // namespace band::client
