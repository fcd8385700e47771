// Determines for each watched file whether its first access, by any process, was a read or a change. The kernel reports
// one access per file (inotify(7), IN_ONESHOT); the events have the order of the accesses.
//
// Promises: a read means that a process opened the file for reading and then read from it or closed it. A stat(2), a
// `touch` and an open only for writing are not reads. A change is a write or a truncation, by any system call. Files
// are identified by inode: accesses are also reported after a rename and through other hard links. The queue of events
// cannot overflow, because a file is not watched after its first event.
// Does not cover: which process accessed the file. Therefore an event alone is evidence only on a file system that no
// process outside the sandbox can reach. Also not covered: changes through a shared mapping, because the kernel does
// not report them.
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
    std::size_t file = 0;  // the number that was passed to add()
    bool read = false;     // false: the file was changed first
  };

  static Result<FirstTouch> open();

  // The largest number of watched files. The kernel's default queue of 16,384 events has space for two events per file:
  // the access, and the end of the watch.
  static constexpr std::size_t kMost = 8'000;
  bool full() const { return files_.size() >= kMost; }
  // Watches `path` beneath an open directory. The caller must make sure that no part of `path` is a link. `file`: the
  // number for Touched. The caller must not have an open descriptor of the file, not even with O_PATH: before Linux
  // 6.10 the kernel would report the close of this descriptor in the same way as the end of a read. So the caller's own
  // close would be reported as the first read of the file. Does nothing if the file does not exist.
  Status add(int directory, const std::string& path, std::size_t file);

  // Readable (poll(2)) when there are events for read().
  int fd() const { return fd_.get(); }
  // Returns the events since the previous call.
  Result<std::vector<Touched>> read();

 private:
  Status take_one(const void* event, std::vector<Touched>& touched);

  base::Fd fd_;
  std::map<int, std::size_t> files_;  // by watch descriptor
};

}  // namespace band::watch
