// Was a file first read or first changed, by whoever did it? One event a file (inotify(7), IN_ONESHOT), in the kernel's
// order.
//
// Promises: a read is an open for reading that was read from or closed; a stat, a `touch` and an open for writing only
// are none. A change is a write or a truncation, however it was asked for. Both go with the inode: a rename or another
// link changes nothing. The queue cannot overflow, because a file that has told its event is no longer watched.
// Does not cover: who it was, so alone it is evidence only on a file system that nobody but the execution can reach;
// and a change through a shared mapping, of which the kernel says nothing.
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

  // Two events a file (what happened, and that the watch has ended) fit the queue of the kernel's default size, 16,384.
  static constexpr std::size_t kMost = 8'000;
  bool full() const { return files_.size() >= kMost; }
  // `path` beneath an open directory, whose parts are no links. It must not be open through a descriptor: before Linux
  // 6.10 even the end of an O_PATH one looks like the end of a read. One that is gone tells nothing.
  Status add(int directory, const std::string& path, std::size_t file);

  int fd() const { return fd_.get(); }
  // What has happened since the last time.
  Result<std::vector<Touched>> read();

 private:
  Status take_one(const void* event, std::vector<Touched>& touched);

  base::Fd fd_;
  std::map<int, std::size_t> files_;  // by watch descriptor
};

}  // namespace band::watch
