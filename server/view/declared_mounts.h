// The mounts that declared paths come to, one by one.
//
// Promises: what is bound is what the kernel finds at the path then, with no link followed; it is detached, and
// restricted before anybody can see it. The machine's own `ro`, `nosuid` and `nodev` stay.
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
  std::string path;  // of the machine, as the rules write it, without the leading '/'
  base::Fd tree;     // detached and restricted; of an empty one none, until the stage makes it
  bool directory = false;
  bool readable = false, writable = false;
  bool empty = false;  // shows nothing of the machine: it covers what lies there
  std::string denied;  // the pattern because of which it lies over a writable directory: there it has to stay

  // In the view: the same path, or where one of the view's own links (kUsrLinks) leads from it.
  std::string place() const;
};

inline constexpr std::size_t kMaxDeclaredMounts = 2'000;  // some ten milliseconds of mounting

struct Shown {
  bool readable = false, writable = false;
};

class DeclaredMounts {
 public:
  explicit DeclaredMounts(const FollowedLinks& links) : links_(links) {}
  // A file or directory of the machine. Of a kernel window nothing is shown.
  Status bind(const std::string& path, bool is_directory, Shown shown, const std::string& denied = "");
  // Nothing of the machine, read-only, over what lies there.
  Status cover(const std::string& path, bool is_directory, const std::string& denied);

  const std::vector<DeclaredMount>& found() const { return found_; }
  // Sorted by place, so that what holds a path comes before it; what was found twice is one mount with the rights of
  // both. What is denied stays so. Two different files of the machine cannot have one place.
  Result<std::vector<DeclaredMount>> merged() &&;

 private:
  Status room() const;
  const FollowedLinks& links_;
  std::vector<DeclaredMount> found_;
};

}  // namespace band::view
