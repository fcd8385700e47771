// Finds the files of this machine that match insists on absolute paths, and whether their content changed.
//
// Promises: they are found with the slot's rights, no link is followed except in the literal part of a pattern
// (links.h), and only regular files are opened. Directories that the slot may not list are left out: its script cannot
// list them either.
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

// Call it on the slot's thread, like open_declared(). Returns each path once, sorted.
Result<std::vector<MachineFile>> find_machine_files(const std::vector<PathPattern>& patterns,
                                                    const FollowedLinks& links, Who who,
                                                    const std::function<bool()>& go_on);

// Sizes and hashes of files, taken before a script that may write them starts.
class Contents {
 public:
  // Returns LimitExceeded for more than kMaxFiles files, or more than kMaxBytes in total. If the slot may write a file
  // but not read it, only its size is kept.
  static Result<Contents> of(const std::vector<MachineFile>& files, const FollowedLinks& links, Who who,
                             const std::function<bool()>& go_on);

  static constexpr std::size_t kMaxFiles = 10'000;
  static constexpr std::int64_t kMaxBytes = 256 << 20;  // a quarter of a second

  // Returns true when `file`, found later, is new or has different content.
  Result<bool> differs(const MachineFile& file, const FollowedLinks& links, Who who,
                       const std::function<bool()>& go_on) const;

 private:
  struct Content {
    std::string path;
    std::int64_t size = 0;
    std::optional<std::uint64_t> hash;  // nullopt: it could not be read
  };
  std::vector<Content> sorted_;
};

}  // namespace band::view
