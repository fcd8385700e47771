// Symbolic links on the way to a rule's path: followed once, before anything else, and held by descriptor.
//
// Promises: a link is followed if it is root's, or belongs to whom the directory that holds it belongs to, and neither
// is the slot; never one of a kernel window (a magic link). Whoever swaps a link later changes nothing: what lies below
// a followed path is opened beneath the directory that was found. At most 40 links, as the kernel's own limit.
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
  // Remembers where `path` (without the leading '/') leads if there are links on the way; whether there are. An error
  // that is not about a link has the errno of openat2(2).
  Result<bool> follow(const std::string& path, Who who);

  // As open_beneath() from the root of the machine, at or below what was followed by descriptor.
  Result<base::Fd> open(const std::string& path, int flags) const;
  // The path without links.
  std::string real(const std::string& path) const;
  // Is there a followed link exactly at `path`? What is opened behind it has a mount of its own there.
  bool is_link(const std::string& path) const;
  // Is one below `directory` on the way to `path`?
  bool is_link_between(const std::string& directory, const std::string& path) const;

 private:
  struct Way {
    std::string path, real;          // as written; without links
    std::vector<std::string> links;  // the names in `path` that are links
    base::Fd holder, end;            // the directory that holds the last name of `real`; what that name is
  };
  const Way* nearest(const std::string& path) const;
  std::vector<Way> ways_;
};

// Where a path leads, whoever made the links on the way; of what is missing its name. For denies: the more they close,
// the better.
std::string without_links(const std::string& path);

}  // namespace band::view
