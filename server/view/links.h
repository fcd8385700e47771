// Symbolic links in the literal part of a rule's path. They are followed once, before the walk (walk.h), and the file
// that was found is kept open as a descriptor.
//
// Promises: a link is followed if root owns it, or if the link and the directory that contains it have the same owner
// and this owner is not the slot's uid. A link in a kernel window (walk.h), a magic link, is never followed. If a link
// is replaced later, this has no effect, because paths below a followed path are opened beneath the directory that was
// found. A path may contain at most 40 links, which is also the limit of the kernel.
// Does not cover: links below the literal part of a rule's path; the kernel resolves them inside the view.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/view/walk.h"

namespace band::view {

class FollowedLinks {
 public:
  // Returns true when `path` (without the leading '/') contains links; the target of the path is then stored. Returns
  // an error without an errno when a link is refused, and with the errno of openat2(2) otherwise.
  Result<bool> follow(const std::string& path, Who who);

  // Like open_beneath() (mounts.h) from the root of the machine. If `path` is at or below a followed path, the stored
  // descriptor is used.
  Result<base::Fd> open(const std::string& path, int flags) const;
  // Returns the path without links.
  std::string real(const std::string& path) const;
  // Returns true when a followed link is exactly at `path`. The view then has a mount of the link's target at `path`.
  bool is_link(const std::string& path) const;
  // Returns true when a followed link is below `directory`, and the link is `path` or a parent directory of `path`.
  bool is_link_between(const std::string& directory, const std::string& path) const;

 private:
  struct Way {
    std::string path, real;          // as written; without links
    std::vector<std::string> links;  // the names in `path` that are links
    base::Fd holder, end;            // the directory that contains the last name of `real`; the file with that name
  };
  const Way* nearest(const std::string& path) const;
  std::vector<Way> ways_;
};

// Returns `path` with all links resolved, regardless of their owners. Names that do not exist are kept. Use it for
// denies: a deny may match more paths than necessary, but never fewer.
std::string without_links(const std::string& path);

}  // namespace band::view
