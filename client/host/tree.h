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

  // Returns true if the mode denies reading to the file's owner. The sandbox's copy of such a file
  // belongs to the script's user and has the same mode, so the script cannot read the copy. This also applies if the
  // caller is root: root can read the original, but no script runs as root.
  bool is_closed_to_owner() const { return (mode & 0400) == 0; }
};

class Tree {
 public:
  // `directory` may be reached through links. Errors: Code::Usage.
  static Result<Tree> open(const std::string& directory);

  const std::string& path() const { return path_; }  // canonical
  int fd() const { return root_.get(); }

  // Outside: a link or `..` points outside the tree. Closed: a system call failed, for example because a permission is
  // missing.
  enum class Kind { File, Directory, Other, Missing, Outside, TooManyLinks, Closed };
  struct Found {
    Kind kind = Kind::Missing;
    std::string path;  // relative to the tree, with every link resolved
    struct ::stat status = {};
    int err = 0;  // for Closed: the errno of the system call that failed
  };
  // Follows links, also in the last segment, if they point into the tree.
  Found resolve(std::string_view relative) const;

  // open_directory() and read() follow no link in any segment, and set `err` to errno if they fail. If `relative` is
  // "", it means the tree itself.
  Fd open_directory(std::string_view relative, int& err) const;
  // Reads a regular file; does not block on a FIFO. `err` is ELOOP for a link, EFBIG for a file of more than
  // `max_bytes`, EINVAL for a file that is not regular.
  std::optional<TreeFile> read(std::string_view relative, std::size_t max_bytes, int& err) const;

 private:
  Fd root_;
  std::string path_;
};

// Reads a regular file through a descriptor, with the same values of `err` as Tree::read().
std::optional<TreeFile> read_regular(int fd, std::size_t max_bytes, int& err);
// Returns the names in a directory without "." and "..", sorted; nothing on error.
std::optional<std::vector<std::string>> list_directory(int fd, int& err);

}  // namespace band::client
