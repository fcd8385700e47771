// Reports the accesses of a sandbox's processes to the files of its mounts (fanotify(7)).
//
// Promises: only accesses through a marked mount are reported, not those of other processes to the same file through
// other mounts, nor those of the server itself. Events are in the kernel's order, and none is lost, regardless of their
// number. Several accesses of one process to one file may be merged into one event until it is read.
// Does not cover: which process reads through a marked mount, so mark only the mounts of one sandbox; truncation by
// path (truncate(2)), rename and changed attributes, which fanotify does not report with a descriptor. Before
// Linux 6.10 opens with O_PATH look like reads.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::watch {

struct FileId {
  std::uint64_t device = 0, inode = 0;
  friend auto operator<=>(const FileId&, const FileId&) = default;  // NOLINT(modernize-use-nullptr): not a pointer
};

class MountEvents {
 public:
  struct Event {
    FileId file;
    bool read = false;                  // read from, or opened for reading and closed (also an empty or mapped file)
    bool changed = false;               // written to
    bool closed_after_writing = false;  // closed after an open for writing, possibly without a write
    std::string path = {};              // in the sandbox, without the leading '/'; only if requested
  };

  static Result<MountEvents> open();

  // Marks the mount of `fd`, which was opened with O_PATH. It must be the sandbox's own mount: a mark on the mount that
  // it was cloned from has no events of the sandbox.
  Status mark(int fd, bool writable);
  void unmark_all();

  int fd() const { return fd_.get(); }
  // Appends about kTurn events at most, and returns true when no event waits. Returns LimitExceeded when more than
  // kMaxWaiting events wait, because their kernel memory is charged to the server.
  Result<bool> read(std::vector<Event>& events, bool with_paths = false);

  static constexpr std::size_t kTurn = 1'024;          // some milliseconds
  static constexpr std::size_t kMaxWaiting = 250'000;  // each uses some 70 bytes and keeps an inode in memory

 private:
  Status check_waiting();

  base::Fd fd_;
  std::int64_t asked_us_ = 0;
};

}  // namespace band::watch
