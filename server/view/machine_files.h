// Finds the files of this machine that match the absolute patterns of insist rules, and compares the content of these
// files before and after the run. (An insist rule requires, for example, that a matching file is changed.)
//
// Promises: the search has only the file permissions of the slot's uid and gid. It follows no link except in the
// literal part of a pattern, before the first wildcard (links.h), and opens only regular files. It leaves out
// directories that the slot may not list, because a script of this slot cannot list them either.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/pattern/pattern.h"
#include "server/view/links.h"
#include "server/view/walk.h"

namespace band::view {

struct MachineFile {
  std::string path;  // without the leading '/'
  std::uint64_t device = 0, inode = 0;
  std::int64_t size = 0;
};

// Returns the matching files, each path once, sorted by path. `who`: the slot's ids. Call it on the slot's thread:
// during the search, it sets the file system ids of the calling thread to `who` (setfsuid(2)). `go_on` is called about
// once a millisecond; if it returns false, the search ends with Code::Cancelled.
Result<std::vector<MachineFile>> find_machine_files(const std::vector<PathPattern>& patterns,
                                                    const FollowedLinks& links, Who who,
                                                    const std::function<bool()>& go_on);

// Sizes and hashes of files, recorded before the start of a script that may write these files.
class Contents {
 public:
  // Returns LimitExceeded for more than kMaxFiles files, or if the sum of their sizes is more than kMaxBytes. `files`
  // must be sorted by path. For a file that the slot may write but not read, only the size is recorded. `go_on` is
  // called after each read of at most one MiB; if it returns false, the result is Code::Cancelled. of() and differs()
  // set the file system ids as find_machine_files() does.
  static Result<Contents> of(const std::vector<MachineFile>& files, const FollowedLinks& links, Who who,
                             const std::function<bool()>& go_on);

  static constexpr std::size_t kMaxFiles = 10'000;
  static constexpr std::int64_t kMaxBytes = 256 << 20;  // hashing 256 MiB takes a quarter of a second

  // Returns true when `file`, which was found after the run, is new or has different content. If no hash of the file
  // was recorded, only the size is compared.
  Result<bool> differs(const MachineFile& file, const FollowedLinks& links, Who who,
                       const std::function<bool()>& go_on) const;

 private:
  struct Content {
    std::string path;
    std::int64_t size = 0;
    std::optional<std::uint64_t> hash;  // nullopt: the slot may not read the file
  };
  std::vector<Content> sorted_;
};

}  // namespace band::view
