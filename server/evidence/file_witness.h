// Kernel events as evidence for the rules insist.read and insist.write, which require that a matching file was read or
// written: reports which files were read, and which files of the machine were written.
//
// Promises: a read counts if the file existed when the script started, and a process of this execution opened the file
// for reading before any process changed the file. A file is identified by its inode; the pattern of the insist must
// match the name that the file had at the start. A write to the machine counts if this execution wrote to a matching
// file, and the file is new or its content differs from the content before the script. Accesses of the server and of
// other processes of the machine do not count: only accesses through the mounts of this sandbox are reported, and these
// processes use other mounts.
// Does not cover: writes to the workspace (view::collect_changes() finds them by content); a file of the machine that
// the script renames to a matching name without writing to it.
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
    int workspace = -1;  // descriptor of the workspace's directory, which already contains the files of the client
    // The mounts of the paths of the machine that the rules name. Both views, that of the script and that of the
    // commands, have these mounts. This list must outlive this object.
    const std::vector<view::DeclaredMount>& declared;
    // The followed links in paths of the machine. `links` must outlive this object.
    const view::FollowedLinks& links;
    const std::vector<ShippedFile>& shipped;  // the workspace files that the client has sent
    view::Who who;                            // uid and gid of the slot, with which files of the machine are searched
    std::function<bool()> go_on;              // see view::open_declared()
    Record& record;  // receives the reads and writes that count, and those that do not; must outlive this object
  };
  // Call it on the slot's thread, when all files are in the workspace, and before the script is started. Returns null
  // when no insist rule needs kernel events.
  static Result<std::unique_ptr<FileWitness>> call(const Parts& parts);

  // Watches the mounts of one view, from now on (watch::MountEvents::mark()). Call it before code of the script or of a
  // command runs in the view. `root`: a descriptor of the view's root.
  Status enter(int root);

  int fd() const { return poll_.get(); }  // when it is readable, call on_readable()
  // Reads pending events. Returns true when no further event is pending. The caller must end the execution on an error.
  Result<bool> on_readable();
  // Call it on the slot's thread, when all processes of the execution have exited. Reads the remaining events. Then
  // compares the files of the machine that were written with their content before the script, and reports the writes
  // that count.
  Status finish();

 private:
  // A file that watch::FirstTouch watches: a file of the workspace or, if `machine` is set, a file of the machine.
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
  Status read_touches();
  void note_event(const watch::MountEvents::Event& event);
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
  // Number of calls of Insists::file_not_read() for files of the machine. This number is limited.
  std::size_t unknown_reads_ = 0;
};

}  // namespace band::run
