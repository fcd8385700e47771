// The stage: the finished file tree of one script view (the file system that a script sees). The server builds the
// stage in the mount namespace of the slot (the place for one execution at a time). Then pid 1 of the view makes a copy
// of the stage's mounts the root of the view (server/init/zygote.h).
//
// The stage is made in two steps, because a sandbox can be started ahead of the request that it serves: make_stage()
// makes everything that depends only on the rules, and fill() adds the content of the request. The sandbox may be
// started between these two calls.
//
// Promises: the view contains only
// - the floor (a directory with copies of the machine's essential programs, their libraries and a minimal /etc),
//   read-only, and a minimal /dev;
// - the workspace and /tmp: one tmpfs, noexec, nosuid, nodev, limited in bytes and inodes;
// - the directory of the output: a second tmpfs with the same options and its own limits, so that a script that has
//   used up its disk space can still write output.json and error.json;
// - the files from the server (read-only): script, input, configuration, files of the skill, and shims, the programs
//   that are in PATH under the names of declared commands;
// - the declared mounts: the paths of the machine that the rules allow (declared.h).
// The view contains no other file of the machine. The root itself is read-only. The destructor of Stage unmounts the
// stage.
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
#include "server/view/floor_tree.h"
#include "server/view/root.h"

namespace band::view {

// A device that exists only in a script view with a terminal. A command has no controlling terminal, because each
// command runs in a session of its own (credentials(7)).
inline constexpr const char* kTerminalDevice = "tty";
inline constexpr const char* kControllingTerminal = "/dev/tty";

struct StagePlan {
  // The floor of script views. make_stage() clones the mounts of the tree. If the stage has declared mounts or a
  // terminal, make_stage() makes these mounts itself.
  const FloorTree* tree = nullptr;
  std::string place;  // an empty directory that belongs to this slot, made if missing: <run>/stage/<slot>/script
  Who owner;          // the slot's ids
  std::int64_t disk_bytes = 0;    // capacity of the tmpfs of the workspace
  std::int64_t max_files = 0;     // maximum number of files that the script may make in this tmpfs
  std::int64_t output_bytes = 0;  // maximum size of output.json
  bool terminal = false;          // the script has a controlling terminal, /dev/tty
  // Names of the shims in /band/bin. For each of them, the tmpfs of the workspace also gets a home directory.
  std::vector<std::string> shims;
  // The names in `shims` that are also names of programs in /usr/bin of the floor. Each of these shims is mounted over
  // the floor's program.
  std::vector<std::string> shimmed;
  std::string prelude;  // bash code that runs before the script; empty if there is no prelude
};

// The files that the script gets from the server, read-only.
struct Given {
  std::string script_file;  // path of the script in the view: layout::script_file
  std::string script;
  std::string_view input, config;  // JSON texts
  std::vector<ShippedFile> lib, skill_files;
};

class Stage {
 public:
  Stage() = default;
  // Call it once, before the script starts. Writes the files of `given` to their paths in the view, and `files` to the
  // workspace.
  Status fill(Given given, const std::vector<ShippedFile>& files);

  // Returns a descriptor of the root of the stage. All other mounts of the view are attached below it.
  int root() const { return root_.shown.get(); }
  const std::vector<DeclaredMount>& declared() const { return declared_; }
  // Call it after the script's end. Returns an error when a denied path in a writable directory has lost its mask, the
  // empty mount that covered it (masks.h); the error names the path.
  Status check_masks() const;
  // workspace(), work(), out() and band() return descriptors of directories, which are valid while the Stage exists.
  int workspace() const { return workspace_.get(); }
  int work() const { return work_.get(); }  // the tmpfs of the workspace, of /tmp and of the homes of commands
  // Inode numbers of the files that fill() wrote to the workspace, in the order of its parameter `files`.
  const std::vector<ino_t>& copied() const { return copied_; }
  int out() const { return out_.get(); }    // the directory of the output
  int band() const { return band_.get(); }  // the directory /band; files that are made in it appear in both views
  const std::vector<layout::PathRule>& paths() const { return paths_; }  // the paths that Landlock permits

 private:
  friend Result<Stage> make_stage(const StagePlan&, std::vector<DeclaredMount>);
  friend class CommandStage;
  // Destroyed in reverse order: descriptors into the mounts first, then the mounts.
  base::Undo unmount_;
  Who owner_;
  TmpfsSize work_size_;
  base::Fd workspace_, out_, band_, work_;
  std::vector<ino_t> copied_;
  Root root_;
  std::vector<DeclaredMount> declared_;
  std::vector<layout::PathRule> paths_;
};

// Returns the Landlock rules for the paths that every script view has, without the declared paths. `band why` has a
// copy of this list (client/answers/judge_path.cc); a test compares the two lists.
std::vector<layout::PathRule> own_paths();

// Makes the stage without the content of a request. `declared`: the result of open_declared(). Call it on the slot's
// thread: the stage is mounted in the mount namespace of the calling thread.
Result<Stage> make_stage(const StagePlan& plan, std::vector<DeclaredMount> declared);

}  // namespace band::view
