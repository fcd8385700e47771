// The directories of band on the caller's machine: skills, configuration and state. No file of a run is written into
// them, because such a file could change what band allows.
#pragma once

#include <sys/stat.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "client/host/tree.h"

namespace band::client {

using FileId = std::pair<dev_t, ino_t>;  // identifies a directory by any path to it, also through a bind mount

// Returns the ids of the directory `fd` and of all directories above it, up to `/`. Empty, with `err` set, if one of
// them cannot be examined.
std::vector<FileId> ids_upwards(int fd, int& err);

class OwnDirectories {
 public:
  // Finds ~/.band (with ~/.band/skills), config_directory(), the skills that are installed with band, the directories
  // to which links in ~/.band/skills point, and all directories below these. Follows no other links. A directory that
  // does not exist counts, too.
  static OwnDirectories find();

  // `inside` is a directory of `tree`, relative to it, without links; it need not exist. Returns the path of the
  // directory of band that is `inside` or that contains it, "" if there is none. If this cannot be determined, returns
  // "" and sets `err`.
  std::string containing(const Tree& tree, const std::string& inside, int& err) const;

 private:
  struct Root {
    FileId nearest;                 // the directory; if it does not exist, the nearest directory above it that exists
    std::vector<std::string> rest;  // the names from `nearest` to the directory, as collision_key()
    std::string path;
  };
  void add(const std::string& path);
  void add_below(int parent, const std::string& name, const std::string& path, int depth);

  std::vector<Root> roots_;
  std::vector<std::pair<FileId, std::string>> below_;  // directories below those in roots_ that exist; sorted
};

}  // namespace band::client
