// Evaluates the events of a sandbox's mounts (mount_events.h). Determines which files were read before a process
// changed them, and which files were written to. Pure.
//
// A read *counts* if the file's inode existed at the start of the run and no process changed the file before the read.
// The kernel may report several accesses of one process to one file as one event that has both a read and a change.
// Such an event does not show which of the two came first, but FirstTouch does (first_touch.h): the caller reports its
// result by first_changed(). Therefore the read in such an event counts, unless first_changed() was called for the file
// or an earlier event has a change.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/watch/mount_events.h"

namespace band::watch {

class Account {
 public:
  // Registers a file that exists at the start of the run. Call it once for each name of the file.
  void expect(const FileId& file, const std::string& path) { expected_[file].paths.push_back(path); }

  // Records that the file was changed before it was read. Call it before the note() of the event with the read.
  void first_changed(const FileId& file);
  // Handles one event. Returns the names of the file if this event is the first read that counts of a registered file;
  // otherwise an empty list.
  std::vector<std::string> note(const MountEvents::Event& event);

  // From now on note() records the files that were opened for writing or written to, for wrote() and wrote_anything().
  void want_writes() { wants_writes_ = true; }
  bool wrote(const FileId& file) const { return written_.count(file) != 0; }
  bool wrote_anything() const { return !written_.empty(); }
  // Returns LimitExceeded when more than kMaxWritten files were recorded.
  Status complete() const;

  static constexpr std::size_t kMaxWritten = 100'000;

 private:
  struct File {
    std::vector<std::string> paths;  // empty: note() has already returned the paths
    bool changed = false;
  };

  std::map<FileId, File> expected_;
  std::set<FileId> written_;
  bool wants_writes_ = false, too_many_ = false;
};

}  // namespace band::watch
