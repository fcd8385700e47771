// Makes the mounts of the declared paths (the paths of the machine that rules of `read` and `write` allow, declared.h),
// one by one.
//
// Promises: a mount shows the file that the kernel finds at the path at the moment of the bind. No link is followed,
// except the links that links.h has already followed. The mount is detached (in no mount namespace, mounts.h), and gets
// its final rights before a process can see it. If the machine's mount that contains the file has the option `ro`,
// `nosuid` or `nodev`, the mount in the view has the same option.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/view/links.h"

namespace band::view {

// Names at the root of every view (the file system of a sandbox) that are links into the /usr of the view, as on a
// machine with a merged /usr.
inline constexpr const char* kUsrLinks[] = {"bin", "lib", "lib64", "sbin"};

struct DeclaredMount {
  std::string path;  // path on the machine as the rules write it, links not resolved; without the leading '/'
  base::Fd tree;     // the detached mount, with its final rights; for a mask an empty Fd until make_masks() sets it
  bool directory = false;
  bool readable = false, writable = false;
  bool empty = false;  // a mask: an empty mount that covers the entry at `path`
  // The text of the deny rule that requires this mount; otherwise "". A deny requires a mount if the deny matches an
  // entry of a writable directory: the mount covers this entry. check_masks() checks only mounts that a deny requires.
  std::string denied;

  // Returns the path in the view: `path` after the view's own links (kUsrLinks) are resolved.
  std::string place() const;
};

inline constexpr std::size_t kMaxDeclaredMounts = 2'000;  // a run with 1,900 masks takes 0.2 s

// The kinds of access that a mount permits.
struct Shown {
  bool readable = false, writable = false;
};

class DeclaredMounts {
 public:
  // `links` must outlive this object.
  explicit DeclaredMounts(const FollowedLinks& links) : links_(links) {}
  // Adds a mount of a file or directory of the machine. `path`: see DeclaredMount::path. `denied`: see
  // DeclaredMount::denied. Does nothing if `path` is on a kernel window (a file system such as proc that stores no
  // files, walk.h).
  Status bind(const std::string& path, bool is_directory, Shown shown, const std::string& denied = "");
  // Adds a mask: an empty read-only mount that covers the entry at `path`.
  Status cover(const std::string& path, bool is_directory, const std::string& denied);

  const std::vector<DeclaredMount>& found() const { return found_; }
  // Returns the mounts sorted by place(), parent directories first. If a path was added twice, the result has one mount
  // for this path. This mount is readable if one of the two is readable. It is writable if one of the two is writable
  // and `denied` is empty in both. Returns an error when two different files of the machine have the same place().
  Result<std::vector<DeclaredMount>> merged() &&;

 private:
  Status room() const;
  const FollowedLinks& links_;
  std::vector<DeclaredMount> found_;
};

}  // namespace band::view
