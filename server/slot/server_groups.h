// The control groups of a server: one in each hierarchy, which contains the groups of the server's slots.
//
// Several servers can run on one machine, also in different mount and pid namespaces (containers, chroot(2)). The path
// of a run directory does not distinguish them, and a pid is valid only in its pid namespace. Therefore:
// - the group's name contains Config::instance, which no two running servers share, and the slots' user ids:
//   band-INSTANCE-UID_BASE-COUNT;
// - a running server holds a lock (flock(2)) on the directory of each of its groups. The kernel releases the lock when
//   the server has exited in whatever way. Only root can open the directory (mode 0700), so no other user can lock it.
//
// Promises: a server changes, empties and removes no group whose directory another process has locked. A server does
// not start when a running server with other groups in the same hierarchy has one of its slots' user ids.
// Does not cover: servers whose control groups are not visible here (a container with a hierarchy of its own).
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/slot/slot.h"

namespace band::slot {

class ServerGroups {
 public:
  // Makes and locks the groups of this server, and removes the groups of servers that have exited. Kills processes that
  // are left in such a group only if the server had the same instance. Usually no process is left, because after
  // `kill -9` of a server the zygote exits, and the kernel kills all views.
  // Returns an error when a group cannot be made, or when another server has one of the slots' user ids.
  static Result<ServerGroups> make(const Config& config);
  ServerGroups(ServerGroups&&) = default;
  ServerGroups& operator=(ServerGroups&&) = delete;
  // Kills the processes in the groups, and removes the groups.
  ~ServerGroups();

  std::vector<std::string> paths() const;  // one directory for each hierarchy

 private:
  struct Held {
    std::string path;
    base::Fd lock;
  };
  ServerGroups() = default;
  std::vector<Held> held_;
};

// Returns an error when a running server with another instance has one of the slots' user ids. Changes nothing.
Status uids_free(const Config& config);

// Removes the groups of servers that have exited, unless a process is in them.
void remove_dead_groups(const Cgroups& cgroups);

// Removes the group `name` and the groups in it from each hierarchy, unless a process is in them.
void remove_empty_group(const Cgroups& cgroups, const std::string& name);

}  // namespace band::slot
