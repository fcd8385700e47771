// The places of band on the caller's machine: the directories of skills, configuration and state, and the targets of
// links in them. No file of a run is written there, because such a file could change what band allows.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/host/tree.h"
#include "client/platform/mounts.h"

namespace band::client {

using FileId = std::pair<dev_t, ino_t>;  // identifies a directory by any path to it, also through a bind mount

// Returns the ids of the directory `fd` and of all directories above it, up to `/`. Empty, with `err` set, if one of
// them cannot be examined.
std::vector<FileId> ids_upwards(int fd, int& err);

// Where a file or directory is that need not exist.
struct Position {
  std::vector<FileId> ids;         // the deepest directory on its path that exists, and all directories above
  std::size_t missing = 0;         // how many names of the path are below ids[0]
  std::vector<std::string> names;  // the names of the path, as collision_key()
  std::string origin;              // origin_of() the path

  void enter(const std::string& name);  // moves to the entry `name` of this directory
  void leave();                         // moves back; only after enter()
};

// A file or directory of band. It need not exist. A file is identified by its directory and its name: a write-back
// replaces names, so another hard link keeps the old content.
struct OwnPlace {
  std::string path;               // as band names it; may contain links
  std::string real;               // the existing part of the path, without links and without `/` at the end
  bool is_file = false;           // false for a place that does not exist
  FileId nearest;                 // the directory; for a file or a place that does not exist, the nearest one above it
  std::vector<std::string> rest;  // the names from `nearest` to the place, as collision_key()
  std::vector<std::string> origins;  // an existing directory has its origin, and those of the mounts below it

  // Returns how many directories are between `nearest` and the existing part of the position; nullopt if the position
  // is neither this place nor below it.
  std::optional<std::size_t> levels_above(const Position& position) const;
};

class OwnDirectories {
 public:
  // Finds ~/.band, config_directory() and shipped_root(). Adds the targets of links that are directly in these
  // directories, in ~/.band/skills, and in `skills` and `targets` of config_directory(), and of each skill's SKILL.md.
  // Looks for no other links: band does not run a script if a link in its skill points outside, except for BAND.md
  // (linked_skills()). Returns the error of mounts().
  static Result<OwnDirectories> find();
  void add(const std::string& path);

  // `directory` is relative to `tree`, without links. If it cannot be examined, sets `err`.
  Position position_of(const Tree& tree, const std::string& directory, int& err) const;
  // Returns the outermost place of band that is at `position` or above it; null if there is none. Valid until add().
  const OwnPlace* containing(const Position& position) const;

  // Returns the skills that are targets of links, as paths without links. A BAND.md of such a skill can be, and can
  // name, a file in a neighbouring directory (schemas/band/files.h). find() does not add these files.
  const std::vector<std::string>& linked_skills() const { return linked_skills_; }

  // Returns the file or directory `path`; follows links, also behind names that do not exist, because a write-back can
  // create these. Returns nullopt if there are more than 40 links.
  std::optional<OwnPlace> place_of(const std::string& path) const;

 private:
  void add_links(const std::string& directory, bool of_skills);

  std::vector<Mount> mounts_;
  std::vector<OwnPlace> places_;
  std::vector<std::string> linked_skills_;
};

}  // namespace band::client
