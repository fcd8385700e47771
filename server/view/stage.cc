#include "server/view/stage.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <string_view>

#include "server/layout/places.h"
#include "server/view/masks.h"
#include "server/view/root.h"
#include "server/view/workspace.h"

namespace band::view {
namespace {

constexpr const char* kLayer = "view";

// Root owns the files, on a mount that is read-only in the view. Therefore the owner's permissions to read and execute
// a file are also given to group and others.
Status put_files(int root, const char* place, std::vector<ShippedFile>& files) {
  for (ShippedFile& file : files) file.mode |= ((file.mode >> 6) & 05) * 011;
  BAND_TRY(const base::Fd directory, open_beneath(root, place + 1, O_RDONLY | O_DIRECTORY));
  const auto written = write_files(directory.get(), files, {0, 0});
  return written.ok() ? done() : Status(written.error());
}

Status make_band(const StagePlan& plan, int root) {
  for (const char* path :
       {"band", "band/in", "band/skill", "band/skill/lib", "band/skill/scripts", "band/out", "band/bin", "band/home"})
    BAND_CHECK(make_dir(root, path));
  BAND_CHECK(make_file(root, layout::kCanary + 1, "", 0644));
  if (!plan.prelude.empty()) BAND_CHECK(make_file(root, layout::kPrelude + 1, plan.prelude, 0444));
  return make_link(root, "../lib", layout::kLibLink + 1);
}

Status put_given(int root, Given& given) {
  BAND_CHECK(make_file(root, layout::kInput + 1, given.input, 0444));
  BAND_CHECK(make_file(root, layout::kConfig + 1, given.config, 0444));
  BAND_CHECK(make_file(root, given.script_file.substr(1), given.script, 0444));
  BAND_CHECK(put_files(root, layout::kLib, given.lib));
  return put_files(root, layout::kSkill, given.skill_files);
}

std::int64_t bytes_of(const Given& given) {
  std::size_t bytes = given.script.size() + given.input.size() + given.config.size();
  for (const auto* files : {&given.lib, &given.skill_files})
    for (const ShippedFile& file : *files) bytes += file.content.size() + 4096;
  return static_cast<std::int64_t>(bytes);
}

Status put_shims(const StagePlan& plan, int floor, const Root& root) {
  for (const std::string& name : plan.shims)
    BAND_CHECK(make_link(root.make.get(), layout::kShim, std::string(layout::kBin + 1) + "/" + name));
  // The shim is mounted over the floor's program, so that the absolute path of the program starts the shim, too.
  for (const std::string& name : plan.shimmed)
    BAND_CHECK(show(floor, layout::kShim + 1, root, "usr/bin/" + name, {.executable = true}));
  return done();
}

// Makes one tmpfs for the workspace, /tmp and the homes of commands, so that one limit applies to the sum of their
// files.
Status make_work(const StagePlan& plan, const TmpfsSize& size, const Root& root, base::Fd& workspace, base::Fd& tmpfs) {
  BAND_TRY(tmpfs, make_tmpfs(size, {.writable = true}));
  BAND_CHECK(attach(tmpfs.get(), AT_FDCWD, plan.place + kWorkPlace));
  std::vector<std::string> owned = {"workspace", "tmp"};
  if (!plan.shims.empty()) BAND_CHECK(make_dir(tmpfs.get(), "home"));
  for (const std::string& name : plan.shims) {
    owned.push_back("home/" + name);
    owned.push_back("home/" + name + "/tmp");
  }
  for (const std::string& name : owned) {
    BAND_CHECK(make_dir(tmpfs.get(), name, 0700));
    if (::fchownat(tmpfs.get(), name.c_str(), plan.owner.uid, plan.owner.gid, AT_SYMLINK_NOFOLLOW) != 0)
      return layer_error(kLayer, "cannot chown " + name, errno);
  }
  BAND_CHECK(show(tmpfs.get(), "workspace", root, "work", {.writable = true}));
  BAND_CHECK(show(tmpfs.get(), "tmp", root, "tmp", {.writable = true}));
  BAND_TRY(workspace, open_beneath(tmpfs.get(), "workspace", O_RDONLY | O_DIRECTORY));
  return done();
}

// Makes the directory of the output. It has room for output.json and error.json, and for a second copy of each, because
// programs write a temporary file and then rename it.
Status make_out(const StagePlan& plan, const Root& root, base::Fd& out) {
  constexpr std::int64_t kErrorBytes = 64 << 10, kInodes = 16;
  BAND_TRY(base::Fd tmpfs, make_tmpfs({2 * (plan.output_bytes + kErrorBytes), kInodes}, {.writable = true}));
  BAND_TRY(out, open_beneath(tmpfs.get(), ".", O_RDONLY | O_DIRECTORY));
  if (::fchmod(out.get(), 0700) != 0 || ::fchown(out.get(), plan.owner.uid, plan.owner.gid) != 0)
    return layer_error(kLayer, "cannot change the owner of the output's directory to the slot", errno);
  return attach(tmpfs.get(), root.shown.get(), layout::kOut + 1);
}

// The inodes that the server uses are added to the limit, because they are not files of the script: the tmpfs' own
// root, and the directories of make_work().
TmpfsSize work_size(const StagePlan& plan) {
  const auto homes = static_cast<std::int64_t>(plan.shims.size());
  return {plan.disk_bytes, plan.max_files + 3 + (homes == 0 ? 0 : 1 + 2 * homes)};
}

// The number of inodes that write_files() uses: the files, the directories above them, and git_directories().
std::int64_t inodes_of(const std::vector<ShippedFile>& files) {
  std::set<std::string_view> directories;
  std::set<std::string> of_git;
  for (const ShippedFile& file : files) {
    std::string_view path = file.path;
    for (std::string& directory : git_directories(file.path)) of_git.insert(std::move(directory));
    for (std::size_t slash = path.rfind('/'); slash != std::string_view::npos; slash = path.rfind('/')) {
      path = path.substr(0, slash);
      if (!directories.insert(path).second) break;  // the directories above it were inserted with it
    }
  }
  std::erase_if(of_git, [&](const std::string& directory) { return directories.contains(directory); });
  return static_cast<std::int64_t>(files.size() + directories.size() + of_git.size());
}

// The tree has neither mount points for declared paths nor one for the terminal (floor_tree.h).
const FloorTree* tree_to_clone(const StagePlan& plan, const std::vector<DeclaredMount>& declared) {
  return plan.terminal || !declared.empty() ? nullptr : plan.tree;
}

}  // namespace

std::vector<layout::PathRule> own_paths() {
  using layout::Access;
  return {{"/", Access::List},
          {"/usr", Access::ReadExecute},
          {"/etc", Access::Read},
          {"/proc", Access::Read},
          {"/band/in", Access::Read},
          {"/band/skill", Access::Read},
          {"/band/out", Access::Own},
          {layout::kWork, Access::Own},
          {"/tmp", Access::Own},
          {"/dev/null", Access::Device},
          {"/dev/zero", Access::Device},
          {"/dev/full", Access::Device},
          {"/dev/random", Access::Device},
          {"/dev/urandom", Access::Device}};
}

Status Stage::check_masks() const { return view::check_masks(root_.shown.get(), declared_); }

Status Stage::fill(Given given, const std::vector<ShippedFile>& files) {
  const std::int64_t bytes = bytes_of(given);
  if (bytes > kRootRoom / 2) BAND_CHECK(make_room(root_, bytes));
  BAND_CHECK(put_given(root_.make.get(), given));
  if (files.empty()) return done();
  work_size_.inodes += inodes_of(files);
  BAND_CHECK(resize_tmpfs(work_.get(), work_size_));
  BAND_TRY(copied_, write_files(workspace_.get(), files, owner_));
  return done();
}

Result<Stage> make_stage(const StagePlan& plan, std::vector<DeclaredMount> declared) {
  Stage stage;
  stage.owner_ = plan.owner;
  stage.work_size_ = work_size(plan);
  const Layers layers = plan.tree->layers();
  const FloorTree* const tree = tree_to_clone(plan, declared);
  BAND_TRY(stage.root_, make_root(plan.place, tree));
  stage.unmount_ = base::Undo([place = plan.place] { unmount_root(place); });
  const Root& root = stage.root_;
  if (tree == nullptr) BAND_CHECK(show_machine(layers, root, declared));
  if (plan.terminal) BAND_CHECK(show_device(layers.devices, root, kTerminalDevice));
  BAND_CHECK(make_band(plan, root.make.get()));
  if (tree != nullptr) BAND_CHECK(show_made(root, "band"));
  BAND_CHECK(put_shims(plan, layers.floor, root));
  BAND_CHECK(make_work(plan, stage.work_size_, root, stage.workspace_, stage.work_));
  BAND_CHECK(make_out(plan, root, stage.out_));
  BAND_TRY(stage.band_, open_beneath(root.make.get(), "band", O_RDONLY | O_DIRECTORY));
  stage.paths_ = own_paths();
  if (plan.terminal) stage.paths_.push_back({kControllingTerminal, layout::Access::Device});
  BAND_CHECK(make_masks(plan.place + kMasksPlace, declared));
  BAND_CHECK(place_declared(layers.floor, root, declared, stage.paths_));
  stage.declared_ = std::move(declared);
  return stage;
}

}  // namespace band::view
