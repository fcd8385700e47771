// Determines whether a file was first read or first changed, by any process. One event per file (inotify(7),
// IN_ONESHOT), in the kernel's order.
//
// Promises: a read is an open for reading that was read from or closed; a stat, a `touch` and an open only for writing
// are not reads. A change is a write or a truncation, by any system call. Files are identified by inode: a rename or
// another link has no effect. The queue cannot overflow, because a file is not watched after its first event.
// Does not cover: which process it was, so by itself it is evidence only on a file system that no other process can
// reach; and changes through a shared mapping, which the kernel does not report.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::watch {

class FirstTouch {
 public:
  struct Touched {
    std::size_t file = 0;  // as given to add()
    bool read = false;     // false: changed
  };

  static Result<FirstTouch> open();

  // Two events per file (the access, and the end of the watch) fit into the kernel's default queue of 16,384 events.
  static constexpr std::size_t kMost = 8'000;
  bool full() const { return files_.size() >= kMost; }
  // Watches `path` beneath an open directory; no part of it may be a link. The file must not be open through a
  // descriptor: before Linux 6.10 even closing an O_PATH descriptor looks like the end of a read. A file that does not
  // exist has no events.
  Status add(int directory, const std::string& path, std::size_t file);

  int fd() const { return fd_.get(); }
  // Returns the events since the last call.
  Result<std::vector<Touched>> read();

 private:
  Status take_one(const void* event, std::vector<Touched>& touched);

  base::Fd fd_;
  std::map<int, std::size_t> files_;  // by watch descriptor
};

}  // namespace band::watch
