// The stage: the finished tree of one script view, built by the server in the slot's own mount namespace. bubblewrap
// gets it whole and adds nothing of its own.
//
// It is made in two steps, because a sandbox can be started ahead of the request that it serves: make_stage() is all
// that follows from the rules, fill() is what the request brings. bubblewrap may be started between the two.
//
// Promises: the view holds the floor (read-only), a minimal /dev, the work directory and /tmp (one tmpfs, noexec,
// nosuid, nodev, capped in bytes and inodes), the output's directory (another such, so that a script that has used up
// its room can still say so), what the server gives (read-only), and the declared mounts; nothing else
// of the machine. The root itself is read-only. Unmounted at the end of the Stage.
// Does not cover: /proc, which band-init mounts in the view's own pid namespace.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/wire/wire.h"
#include "server/base/fd.h"
#include "server/base/undo.h"
#include "server/layout/access.h"
#include "server/view/declared.h"
#include "server/view/root.h"

namespace band::view {

// Of a script view with a terminal. A command has none: it is in a session of its own (credentials(7)).
inline constexpr const char* kControllingTerminal = "/dev/tty";

struct StagePlan {
  std::string floor;  // directory of the floor
  std::string place;  // an empty directory of this slot: <run>/stage/<slot>
  Who owner;
  std::int64_t disk_bytes = 0;
  std::int64_t max_files = 0;
  std::int64_t output_bytes = 0;
  bool terminal = false;             // the script has a controlling terminal, /dev/tty
  std::vector<std::string> shims;    // names in /band/bin; each has a home of its own for the program behind it
  std::vector<std::string> shimmed;  // those of them that the floor has in /usr/bin: the shim stands there, too
  std::string prelude;               // of bash; empty: there is none
};

// What the script gets from the server, read-only.
struct Given {
  std::string script_file;  // its place, layout::script_file
  std::string script, input, config;
  std::vector<ShippedFile> lib, skill_files;
};

class Stage {
 public:
  Stage() = default;
  // Once, before the script starts: puts `given` in its places, and `files` into the workspace.
  Status fill(Given given, const std::vector<ShippedFile>& files);

  std::string root() const { return place_ + "/root"; }  // for bubblewrap, in the slot's mount namespace
  const std::vector<DeclaredMount>& declared() const { return declared_; }
  // After the script's end: do the denied places of writable directories still have their masks? An error says which
  // one has not.
  Status check_masks() const;
  int workspace() const { return workspace_.get(); }
  const std::vector<ino_t>& copied() const { return copied_; }  // the workspace's files, in the request's order
  int out() const { return out_.get(); }
  int band() const { return band_.get(); }  // of /band: what is made in it is in both views
  const std::vector<layout::PathRule>& paths() const { return paths_; }  // what Landlock may open in it

 private:
  friend Result<Stage> make_stage(const StagePlan&, std::vector<DeclaredMount>);
  friend class CommandStage;
  // Destroyed in reverse: descriptors into the mounts first, then the mounts.
  base::Undo unmount_;
  std::string place_;
  Who owner_;
  TmpfsSize work_size_;
  base::Fd workspace_, out_, band_, work_;
  std::vector<ino_t> copied_;
  Root root_;
  std::vector<DeclaredMount> declared_;
  std::vector<layout::PathRule> paths_;
};

// What each script view has, whatever is declared. `band why` has the same list (client/answers/judge_path.cc); a test
// compares them.
std::vector<layout::PathRule> own_paths();

// On the slot's thread.
Result<Stage> make_stage(const StagePlan& plan, std::vector<DeclaredMount> declared);

}  // namespace band::view
