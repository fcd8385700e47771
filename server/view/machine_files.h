// The files of this machine that insists on absolute paths are about: which there are, and whether their content
// changed.
//
// Promises: they are found with the slot's rights, no link is followed but those on the way to a rule's path (links.h),
// and nothing but regular files is opened. What
// the slot may not look into is left out: its script could not either.
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

// On the slot's thread, as open_declared(). Each path once, sorted.
Result<std::vector<MachineFile>> find_machine_files(const std::vector<PathPattern>& patterns,
                                                    const FollowedLinks& links, Who who,
                                                    const std::function<bool()>& go_on);

// What was in files before a script that may write them.
class Contents {
 public:
  // LimitExceeded for more than kMaxFiles, or kMaxBytes in all. Of a file that the slot may write but not read, only
  // the size is kept.
  static Result<Contents> of(const std::vector<MachineFile>& files, const FollowedLinks& links, Who who,
                             const std::function<bool()>& go_on);

  static constexpr std::size_t kMaxFiles = 10'000;
  static constexpr std::int64_t kMaxBytes = 256 << 20;  // a quarter of a second

  // Is `file`, found later, new or of another content?
  Result<bool> differs(const MachineFile& file, const FollowedLinks& links, Who who,
                       const std::function<bool()>& go_on) const;

 private:
  struct Content {
    std::string path;
    std::int64_t size = 0;
    std::optional<std::uint64_t> hash;  // none: it could not be read
  };
  std::vector<Content> sorted_;
};

}  // namespace band::view
