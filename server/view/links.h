// Follows the symbolic links in the literal part of a rule's pattern (the part before the first wildcard). The links
// are followed once, before the walk (the listing of directories, walk.h). A descriptor of the file to which they lead
// is kept.
//
// Promises: a link is followed if root owns it, or if the link and the directory that contains it have the same owner
// and this owner is not the slot's uid. A link on a kernel file system such as /proc (a kernel window, walk.h) is never
// followed, because it can be a magic link (symlink(7)). Replacing a link later has no effect, because paths below a
// followed path are opened beneath the kept descriptor. At most 40 links are followed for one path, as in the kernel.
// Does not cover: links below the literal part of a pattern. The kernel resolves such links inside the view (the file
// system of the sandbox), where they lead only to files that the view shows.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/view/walk.h"

namespace band::view {

class FollowedLinks {
 public:
  // Returns true when `path` (without the leading '/') contains links; a descriptor of the file to which they lead is
  // then stored. Returns false when `path` contains no link. `who`: the slot's ids. Returns an error without an errno
  // when a link is refused, and an error with an errno when a file of the path cannot be opened.
  Result<bool> follow(const std::string& path, Who who);

  // Opens `path` (without the leading '/') as open_beneath() (mounts.h) does, from the root of the machine. If `path`
  // is at or below a followed path, the stored descriptor is used.
  Result<base::Fd> open(const std::string& path, int flags) const;
  // Returns `path` with the followed links resolved.
  std::string real(const std::string& path) const;
  // Returns true when a followed link is exactly at `path`. The view has no link at such a path. It has the mount of
  // the link's target; or, if only entries below the target are mounted, a directory with their mount points.
  bool is_link(const std::string& path) const;
  // Returns true when at least one name of `path` after `directory` is a followed link. Returns false when `path` is
  // not below `directory`.
  bool is_link_between(const std::string& directory, const std::string& path) const;

 private:
  struct Way {
    std::string path, real;          // the path as written, and the path without links
    std::vector<std::string> links;  // the names in `path` that are links
    base::Fd holder, end;            // the directory that contains the last name of `real`; the file with that name
  };
  const Way* nearest(const std::string& path) const;
  std::vector<Way> ways_;
};

// Returns `path` with all links resolved, regardless of their owners. Names that do not exist are kept. Use this
// function only for denies: a deny may match more paths than necessary, but never fewer.
std::string without_links(const std::string& path);

}  // namespace band::view
