// Evaluates the events of a sandbox's mounts: which files of the machine were read unchanged, and which were written
// to. Pure.
//
// A file counts as read when its inode existed at the start and no process changed it before the read. The accesses of
// one process to one file may be one event with both a read and a change. If first_changed() was called for this file,
// such a read does not count; otherwise it does.
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
  // Registers a file that exists at the start. A file with several names is registered with each of them.
  void expect(const FileId& file, const std::string& path) { expected_[file].paths.push_back(path); }

  void first_changed(const FileId& file);
  // Returns the names of a registered file that was now read for the first time; otherwise an empty list.
  std::vector<std::string> note(const MountEvents::Event& event);

  void want_writes() { wants_writes_ = true; }
  bool wrote(const FileId& file) const { return written_.count(file) != 0; }
  bool wrote_anything() const { return !written_.empty(); }
  // Returns LimitExceeded when more than kMaxWritten files were written to.
  Status complete() const;

  static constexpr std::size_t kMaxWritten = 100'000;

 private:
  struct File {
    std::vector<std::string> paths;  // empty: the read was already returned by note()
    bool changed = false;
  };

  std::map<FileId, File> expected_;
  std::set<FileId> written_;
  bool wants_writes_ = false, too_many_ = false;
};

}  // namespace band::watch
