// The kernel's word on the files that a band insists on: which were read, and which files of the machine were written.
//
// Promises: a read counts when a process of this execution opened for reading a file that was there before the script
// began, and that was not changed before; by inode, under the name that it had then. A write to the machine counts when
// a matching file is new or has another content and this execution wrote to it. What the server does itself, and what
// others on the machine do through their own mounts, does not count.
// Does not cover: writes to the workspace, which are known by content (view::collect_changes); a file of the machine
// that the script moves to a matching name without writing to it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/pattern/pattern.h"
#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"
#include "server/base/fd.h"
#include "server/evidence/record.h"
#include "server/view/declared_mounts.h"
#include "server/view/machine_files.h"
#include "server/watch/account.h"
#include "server/watch/first_touch.h"
#include "server/watch/mount_events.h"

namespace band::run {

class FileWitness {
 public:
  struct Parts {
    const Rules& rules;
    int workspace = -1;                                // of the script, with all its files
    const std::vector<view::DeclaredMount>& declared;  // of both views; live longer
    const view::FollowedLinks& links;                  // on the way to the machine's files; live longer
    const std::vector<ShippedFile>& shipped;
    view::Who who;
    std::function<bool()> go_on;  // as for view::open_declared
    Record& record;
  };
  // Before the script is started, and when all files are there. Null when the rules insist on nothing that needs it:
  // then it costs nothing.
  static Result<std::unique_ptr<FileWitness>> call(const Parts& parts);

  // A view is there, and nothing of the script runs in it yet. `root` is the view's.
  Status enter(int root);

  int fd() const { return poll_.get(); }  // readable: call on_readable()
  // Hears some of what has happened; whether that was all. An error is the end of the execution.
  Result<bool> on_readable();
  // Everything is dead: hears the rest, and looks at what was written to the machine.
  Status finish();

 private:
  // A file that may tell whether it was first read or first changed: of the workspace, or of the machine.
  struct Subject {
    std::string path;
    std::optional<watch::FileId> machine;
  };

  explicit FileWitness(const Parts& parts) : parts_(parts) {}
  Status prepare();
  Status watch_shipped();
  Status expect_machine_files();
  Status await_touch(int directory, const std::string& path, Subject subject);
  Status poll_for(int fd);
  bool concerned(const view::DeclaredMount& mount) const;
  bool writable(const std::string& path) const;
  Status hear_touches();
  void hear_event(const watch::MountEvents::Event& event);
  void read(const std::string& path, bool absolute);
  Status look_at_writes();
  void let_go();

  Parts parts_;
  std::vector<PathPattern> machine_reads_, machine_writes_;
  base::Fd poll_;
  std::vector<Subject> subjects_;
  std::vector<watch::FirstTouch> touches_;
  std::optional<watch::MountEvents> events_;
  watch::Account account_;
  std::optional<view::Contents> before_;
  std::size_t strangers_ = 0;  // files that were named to the insists though they do not count
};

}  // namespace band::run
