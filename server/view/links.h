// Symbolic links in a rule's path: followed once, before the walk, and the result is held by descriptor.
//
// Promises: a link is followed if root owns it, or if link and directory have the same owner and this is not the slot's
// uid. A link in a kernel window (a magic link) is never followed. Replacing a link later has no effect: paths below a
// followed path are opened beneath the directory that was found. At most 40 links, like the kernel's own limit.
// Does not cover: links below a rule's path, which are resolved inside the view.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/view/walk.h"

namespace band::view {

class FollowedLinks {
 public:
  // Returns true when `path` (without the leading '/') contains links, and stores its target. An error that does not
  // concern a link has the errno of openat2(2).
  Result<bool> follow(const std::string& path, Who who);

  // Like open_beneath() from the root of the machine; at or below a followed path it uses the stored descriptor.
  Result<base::Fd> open(const std::string& path, int flags) const;
  // Returns the path without links.
  std::string real(const std::string& path) const;
  // Returns true when a followed link is exactly at `path`. Its target has its own mount there.
  bool is_link(const std::string& path) const;
  // Returns true when a followed link is below `directory` and is `path` or one of its parent directories.
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

// Returns `path` with all links resolved, regardless of their owners; names that do not exist are kept. For denies: a
// deny may close more than necessary, never less.
std::string without_links(const std::string& path);

}  // namespace band::view
