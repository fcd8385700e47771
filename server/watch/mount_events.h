// What the processes of a sandbox do with the files of its mounts (fanotify(7)).
//
// Promises: an event is told only for what goes through a marked mount, so nothing that others do with the same file
// through their own mounts, nor what the server itself does; in the kernel's order; none is lost, however many. What
// one process does with one file before it is looked at may be one event. Does not cover: who reads through a marked
// mount; mark those of one sandbox. Truncation by path (truncate(2)), rename and changed attributes, which fanotify
// does not tell with a descriptor; opens with O_PATH look like reads before Linux 6.10.
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
  friend auto operator<=>(const FileId&, const FileId&) = default;  // NOLINT(modernize-use-nullptr): there is none
};

class MountEvents {
 public:
  struct Event {
    FileId file;
    bool read = false;     // opened for reading and closed, or read from: also an empty file, and one that is mapped
    bool changed = false;  // written to
    bool closed_after_writing = false;  // was open for writing, perhaps without a write
    std::string path = {};              // in the sandbox, without the leading '/'; when asked for
  };

  static Result<MountEvents> open();

  // The mount that `fd`, opened with O_PATH, lies on. In a sandbox it must be the sandbox's own: a mark on the mount
  // that it was cloned from tells nothing.
  Status mark(int fd, bool writable);
  void unmark_all();

  int fd() const { return fd_.get(); }
  // At most kTurn further events; whether that was all. LimitExceeded when so many wait that they would take the
  // kernel's memory: it is charged to the server.
  Result<bool> read(std::vector<Event>& events, bool with_paths = false);

  static constexpr std::size_t kTurn = 1'024;          // some milliseconds
  static constexpr std::size_t kMaxWaiting = 250'000;  // each takes some 70 bytes and keeps an inode in memory

 private:
  Status check_waiting();

  base::Fd fd_;
  std::int64_t asked_us_ = 0;
};

}  // namespace band::watch
