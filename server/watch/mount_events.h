// Reports the accesses of a sandbox's processes to the files of its mounts (fanotify(7)).
//
// Promises: only accesses through a marked mount are reported. If another process, or the server itself, accesses a
// file through another mount, no event is reported. Events have the order of the accesses, and no event is lost. The
// kernel may merge several accesses of one process to one file into one event, until the event is read.
// Does not cover: which process accessed the file; therefore use one MountEvents for the mounts of one sandbox only.
// Truncation by path (truncate(2)), renames and changed attributes, because fanotify does not report them with a
// descriptor. Before Linux 6.10 opens with O_PATH are reported like reads.
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
    // The file was read from, or opened for reading and closed (so also an empty or mapped file).
    bool read = false;
    bool changed = false;               // the file was written to
    bool closed_after_writing = false;  // the file was opened for writing and closed, possibly without a write
    std::string path = {};              // path in the sandbox, without the leading '/'; "" unless `with_paths`
  };

  static Result<MountEvents> open();

  // Marks the mount at `fd` (opened with O_PATH). It must be a mount of the sandbox itself: accesses in the sandbox are
  // not reported through a mark on the mount from which the sandbox's mount was cloned. `writable`: report changes,
  // too.
  Status mark(int fd, bool writable);
  void unmark_all();

  int fd() const { return fd_.get(); }
  // Appends at most about kTurn events, and returns true when no further event waits. Returns LimitExceeded when more
  // than kMaxWaiting events wait, because their kernel memory is charged to the server.
  Result<bool> read(std::vector<Event>& events, bool with_paths = false);

  static constexpr std::size_t kTurn = 1'024;          // reading them needs some milliseconds
  static constexpr std::size_t kMaxWaiting = 250'000;  // each event uses some 70 bytes and keeps an inode in memory

 private:
  Status check_waiting();

  base::Fd fd_;
  std::int64_t asked_us_ = 0;
};

}  // namespace band::watch
