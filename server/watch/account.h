// What the events of a sandbox's mounts come to: which files of the machine were read unchanged, and which were written
// to. Pure.
//
// A file counts as read when it was there at the start, by its inode, and nobody changed it before. What one process
// did with one file may come as one event that has both a read and a change: then first_changed() decides, and where it
// was not told, the read counts.
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
  // It is there at the start. A file with several names is expected under each.
  void expect(const FileId& file, const std::string& path) { expected_[file].paths.push_back(path); }

  void first_changed(const FileId& file);
  // The names of a file that now has been read for the first time; none otherwise.
  std::vector<std::string> note(const MountEvents::Event& event);

  void want_writes() { wants_writes_ = true; }
  bool wrote(const FileId& file) const { return written_.count(file) != 0; }
  bool wrote_anything() const { return !written_.empty(); }
  // LimitExceeded when more files were written to than are kept.
  Status complete() const;

  static constexpr std::size_t kMaxWritten = 100'000;

 private:
  struct File {
    std::vector<std::string> paths;  // none: told already
    bool changed = false;
  };

  std::map<FileId, File> expected_;
  std::set<FileId> written_;
  bool wants_writes_ = false, too_many_ = false;
};

}  // namespace band::watch
