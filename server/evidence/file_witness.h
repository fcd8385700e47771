// Kernel events as evidence for insist.read and insist.write: which files were read, and which files of the machine
// were written.
//
// Promises: a read counts when a process of this execution opened a file for reading that existed before the script
// began and that was unchanged until then. Files are compared by inode, under the name that they had at the start. A
// write to the machine counts when a matching file is new or has another content and this execution wrote to it.
// Accesses of the server itself, and of other processes through their own mounts, do not count.
// Does not cover: writes to the workspace, which are found by content (view::collect_changes); a file of the machine
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
    int workspace = -1;                                // directory of the script's workspace, with all files in it
    const std::vector<view::DeclaredMount>& declared;  // mounts of both views; outlive this object
    const view::FollowedLinks& links;                  // links in paths of the machine; outlive this object
    const std::vector<ShippedFile>& shipped;
    view::Who who;
    std::function<bool()> go_on;  // as for view::open_declared
    Record& record;
  };
  // Call it when all files are in the workspace and before the script is started. Returns null when the rules have no
  // insist that needs kernel events.
  static Result<std::unique_ptr<FileWitness>> call(const Parts& parts);

  // Sets the marks in a view, before any code of the script runs in it. `root`: a descriptor of the view's root.
  Status enter(int root);

  int fd() const { return poll_.get(); }  // readable: call on_readable()
  // Reads pending events. Returns true when it has read all of them. An error ends the execution.
  Result<bool> on_readable();
  // Called when all processes of the execution have exited. Reads the remaining events and compares the files that were
  // written on the machine.
  Status finish();

 private:
  // A watched file of the workspace, or of the machine, for which the first read or change is reported.
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
  std::size_t strangers_ = 0;  // number of files reported to the insists although they do not count
};

}  // namespace band::run
