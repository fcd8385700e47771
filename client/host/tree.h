// Finds and opens files below one directory. Links that point outside are refused, even if the tree changes
// concurrently.
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

std::vector<std::string> split_path(std::string_view path);                // at '/'; empty segments are dropped
std::string join_path(std::string_view directory, std::string_view name);  // `directory` "" is the root itself

struct TreeFile {
  std::string content;
  std::uint32_t mode = 0;        // permission bits
  std::int64_t modified_us = 0;  // microseconds, as sent (schemas/wire/files.h)

  // In a sandbox, the copy belongs to the user that reads it. On the caller's machine root reads any file; no script
  // runs as root.
  bool is_closed_to_owner() const { return (mode & 0400) == 0; }
};

class Tree {
 public:
  // `directory` may be reached through links. Errors: Code::Usage.
  static Result<Tree> open(const std::string& directory);

  const std::string& path() const { return path_; }  // canonical
  int fd() const { return root_.get(); }

  enum class Kind { File, Directory, Other, Missing, Outside, TooManyLinks, Closed };
  struct Found {
    Kind kind = Kind::Missing;
    std::string path;  // with every link resolved, relative to the tree
    struct ::stat status = {};
    int err = 0;  // for Closed: why it could not be examined
  };
  // Follows links, including the last segment, as long as they stay in the tree.
  Found resolve(std::string_view relative) const;

  // These two follow no link in any segment and set `err` to errno. `relative` "" is the tree itself.
  Fd open_directory(std::string_view relative, int& err) const;
  // Reads a regular file; does not block on a FIFO. ELOOP: a link; EFBIG: more than `max_bytes`; EINVAL: not regular.
  std::optional<TreeFile> read(std::string_view relative, std::size_t max_bytes, int& err) const;

 private:
  Fd root_;
  std::string path_;
};

// Reads a regular file through a descriptor; same errors.
std::optional<TreeFile> read_regular(int fd, std::size_t max_bytes, int& err);
// Returns the names in a directory without "." and "..", sorted. Nothing on error.
std::optional<std::vector<std::string>> list_directory(int fd, int& err);

}  // namespace band::client
