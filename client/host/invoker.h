// The user who called sudo. Files of this user are written in a child process with the ids of this user, because it is
// dangerous for root to write in a directory that another user controls.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "schemas/core/result.h"

namespace band::client {

struct Invoker {
  std::string name, home;  // from the user database, not from $HOME
  uid_t uid = 0;
  gid_t gid = 0;
};

// Reads $SUDO_USER, $SUDO_UID and $SUDO_GID. Returns nullopt when this process is not root, when none of the three
// variables is set, or when root called sudo. Errors (Code::Usage): the variables do not name one user of this machine;
// this user has no home directory.
Result<std::optional<Invoker>> sudo_invoker();

// Calls `act` in a child process, and returns the result of `act`; of an error, only code, message and hint. Before the
// call, the child process permanently changes its uid and gid to those of `user`, drops all other groups, and sets HOME
// and the umask 077. The text of an error from `act` is untrusted, because another process of `user` may have written
// it. Call this only in a single-threaded program, because it forks.
Status as_user(const Invoker& user, const std::function<Status()>& act);

// Calls as_user(). If `user` is nullopt, calls `act` in this process instead.
Status as_invoker(const std::optional<Invoker>& user, const std::function<Status()>& act);

}  // namespace band::client
