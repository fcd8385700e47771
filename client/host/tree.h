// Finds and opens files below one directory (the tree). Links that point outside the tree are not followed, even if
// another process changes the tree at the same time.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/fd.h"
#include "schemas/core/result.h"

namespace band::client {

std::vector<std::string> split_path(std::string_view path);                // splits at '/'; empty segments are dropped
std::string join_path(std::string_view directory, std::string_view name);  // if `directory` is "", returns `name`

struct TreeFile {
  std::string content;
  std::uint32_t mode = 0;        // permission bits
  std::int64_t modified_us = 0;  // in microseconds, as in a request (schemas/wire/files.h)

  // Returns true if the mode denies reading to the file's owner. If such a file is sent to the server, the copy in the
  // sandbox belongs to the script's user and has the same mode, so the script cannot read the copy. This also applies
  // if the caller is root: root can read the original, but no script runs as root.
  bool is_closed_to_owner() const { return (mode & 0400) == 0; }
};

class Tree {
 public:
  // `directory` and its parents may be links. Errors (Code::Usage): it does not exist or cannot be opened.
  static Result<Tree> open(const std::string& directory);

  const std::string& path() const { return path_; }  // absolute, without links
  int fd() const { return root_.get(); }             // descriptor of the directory, owned by the Tree

  // Other: neither a regular file nor a directory. Outside: a link or `..` points outside the tree. TooManyLinks: more
  // than 40 links. Closed: a system call failed, for example because a permission is missing.
  enum class Kind { File, Directory, Other, Missing, Outside, TooManyLinks, Closed };
  struct Found {
    Kind kind = Kind::Missing;
    // For File, Directory and Other: the path relative to the tree, with every link resolved, and its status.
    std::string path;
    struct ::stat status = {};
    int err = 0;  // for Closed: the errno of the system call that failed
  };
  // Examines a path of the tree. Follows links that point into the tree, also in the last segment. An absolute link
  // points into the tree only if its target begins with path().
  Found resolve(std::string_view relative) const;

  // open_directory() and read() follow no link in any segment; Found::path contains none. If they fail, they return an
  // empty Fd or nullopt, and set `err` to errno. If `relative` is "", open_directory() opens the directory of the tree.
  Fd open_directory(std::string_view relative, int& err) const;
  // As open_directory(), and creates the missing directories. Adds the paths of the created ones to `made`, also if it
  // fails. On failure, `at` is the path of the directory that cannot be created or opened; `err` is ELOOP or ENOTDIR if
  // it is a link or another file.
  Fd make_directory(std::string_view relative, mode_t mode, std::vector<std::string>& made, std::string& at,
                    int& err) const;
  // Reads a regular file; does not block on a FIFO. `err` is ELOOP if the last segment is a link, EFBIG for a file of
  // more than `max_bytes`, EINVAL for a file that is not regular.
  std::optional<TreeFile> read(std::string_view relative, std::size_t max_bytes, int& err) const;

 private:
  Fd root_;
  std::string path_;
};

// Reads a regular file through a descriptor, with the same values of `err` as Tree::read().
std::optional<TreeFile> read_regular(int fd, std::size_t max_bytes, int& err);
// Returns the names in the directory `fd` without "." and "..", sorted. Stops reading after `most` names, in the order
// of the file system. On error, returns nullopt and sets `err`.
std::optional<std::vector<std::string>> list_directory(int fd, int& err, std::size_t most = SIZE_MAX);

}  // namespace band::client
