// Reports the accesses of a sandbox's processes to the files of its mounts (fanotify(7)).
//
// Promises: only accesses through a mount that was marked with mark() (fanotify_mark(2)) are reported. If another
// process, or the server itself, accesses a file through another mount, no event is reported. Events have the order of
// the accesses, and no event is lost. The kernel may merge several accesses of one process to one file into one event,
// until the event is read.
// Does not cover: which process accessed the file; therefore use one MountEvents for the mounts of one sandbox only.
// Truncation by path (truncate(2)), renames and changes of attributes cause no event, because fanotify does not report
// these with a descriptor of the file. Before Linux 6.10, opening a file with O_PATH and closing it causes an event
// with Event::read, although nothing was read.
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
    // The file was read from, or opened for reading and closed. (So reads of empty files and reads through mappings are
    // included.)
    bool read = false;
    bool changed = false;               // the file was written to
    bool closed_after_writing = false;  // the file was opened for writing and closed, possibly without a write
    std::string path = {};  // path in the sandbox, without the leading '/'; "" if `with_paths` of read() was false
  };

  static Result<MountEvents> open();

  // Marks the mount at `fd` (opened with O_PATH): from now on accesses through this mount are reported. Changes are
  // reported only if `writable` is true. Mark the sandbox's own mount, and not the mount from which it was cloned: a
  // mark on the latter does not report accesses in the sandbox.
  Status mark(int fd, bool writable);

  // Readable (poll(2)) when there are events for read().
  int fd() const { return fd_.get(); }
  // Appends at most about kTurn events to `events`. `with_paths`: whether to set Event::path. Returns true when no
  // further event is waiting, and false when the caller should call read() again. Returns LimitExceeded when more than
  // kMaxWaiting events wait, because the kernel memory of waiting events is charged to the server.
  Result<bool> read(std::vector<Event>& events, bool with_paths = false);

  static constexpr std::size_t kTurn = 1'024;          // reading this number of events needs some milliseconds
  static constexpr std::size_t kMaxWaiting = 250'000;  // each event uses some 70 bytes and keeps an inode in memory

 private:
  Status check_waiting();

  base::Fd fd_;
  std::int64_t asked_us_ = 0;
};

}  // namespace band::watch
