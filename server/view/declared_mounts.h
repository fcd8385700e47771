// The mounts of the declared paths, one by one.
//
// Promises: a mount shows the file that the kernel finds at the path when it is bound, with no link followed; it is
// detached, and restricted before any process can see it. The machine's own `ro`, `nosuid` and `nodev` are kept.
#pragma once

#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/view/links.h"

namespace band::view {

// Names at the root of every view that are links into its /usr, as on a machine whose /usr is merged.
inline constexpr const char* kUsrLinks[] = {"bin", "lib", "lib64", "sbin"};

struct DeclaredMount {
  std::string path;  // on the machine, as the rules write it, without the leading '/'
  base::Fd tree;     // detached and restricted; for an empty mount it is made by the stage
  bool directory = false;
  bool readable = false, writable = false;
  bool empty = false;  // a mask: shows no file of the machine and covers the entry at `path`
  std::string denied;  // the deny pattern of a mask inside a writable directory: check_masks() checks such a mask

  // Returns the path in the view: `path`, resolved through the view's own links (kUsrLinks).
  std::string place() const;
};

inline constexpr std::size_t kMaxDeclaredMounts = 2'000;  // some ten milliseconds of mounting

struct Shown {
  bool readable = false, writable = false;
};

class DeclaredMounts {
 public:
  explicit DeclaredMounts(const FollowedLinks& links) : links_(links) {}
  // Adds a mount of a file or directory of the machine; does nothing for one on a kernel window (walk.h).
  Status bind(const std::string& path, bool is_directory, Shown shown, const std::string& denied = "");
  // Adds an empty read-only mount that covers the entry at `path`.
  Status cover(const std::string& path, bool is_directory, const std::string& denied);

  const std::vector<DeclaredMount>& found() const { return found_; }
  // Returns the mounts sorted by place, parent directories first. A path that was found twice becomes one mount with
  // the rights of both; a denied one stays denied. Returns an error when two different files of the machine have one
  // place.
  Result<std::vector<DeclaredMount>> merged() &&;

 private:
  Status room() const;
  const FollowedLinks& links_;
  std::vector<DeclaredMount> found_;
};

}  // namespace band::view
