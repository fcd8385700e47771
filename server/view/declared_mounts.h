// Makes the mounts of the declared paths (declared.h), one by one.
//
// Promises: a mount shows the file that the kernel finds at the path in the moment of the bind; no link is followed.
// The mount is detached, and gets its final rights before a process can see it. If the machine has mounted the file
// `ro`, `nosuid` or `nodev`, the mount in the view has these options, too.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/view/links.h"

namespace band::view {

// Names at the root of every view that are links into the /usr of the view, as on a machine with a merged /usr.
inline constexpr const char* kUsrLinks[] = {"bin", "lib", "lib64", "sbin"};

struct DeclaredMount {
  std::string path;  // path on the machine, as written in the rules, without the leading '/'
  base::Fd tree;     // detached, with its final rights; empty for a mask until make_masks()
  bool directory = false;
  bool readable = false, writable = false;
  bool empty = false;  // a mask: an empty mount that covers the entry at `path`
  std::string denied;  // the deny that requires this mount, inside a writable directory; check_masks() then checks it

  // Returns the path in the view: `path` after the view's own links (kUsrLinks) are resolved.
  std::string place() const;
};

inline constexpr std::size_t kMaxDeclaredMounts = 2'000;  // mounting them needs some ten milliseconds

struct Shown {
  bool readable = false, writable = false;
};

class DeclaredMounts {
 public:
  explicit DeclaredMounts(const FollowedLinks& links) : links_(links) {}
  // Adds a mount of a file or directory of the machine. Does nothing if `path` is on a kernel window (walk.h).
  Status bind(const std::string& path, bool is_directory, Shown shown, const std::string& denied = "");
  // Adds a mask: an empty read-only mount that covers the entry at `path`.
  Status cover(const std::string& path, bool is_directory, const std::string& denied);

  const std::vector<DeclaredMount>& found() const { return found_; }
  // Returns the mounts sorted by place(), parent directories first. If a path was added twice, the result has one mount
  // for it. This mount is readable if one of the two is readable, and writable if one of the two is writable and no
  // deny requires the other. Returns an error when two different files of the machine have the same place().
  Result<std::vector<DeclaredMount>> merged() &&;

 private:
  Status room() const;
  const FollowedLinks& links_;
  std::vector<DeclaredMount> found_;
};

}  // namespace band::view
