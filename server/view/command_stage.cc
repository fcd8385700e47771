#include "server/view/command_stage.h"

#include <fcntl.h>

#include "server/layout/places.h"
#include "server/view/mounts.h"

namespace band::view {
namespace {

// Clones each declared mount, because the original mount is attached in the script's stage.
Result<std::vector<DeclaredMount>> clones_of(const std::vector<DeclaredMount>& declared) {
  std::vector<DeclaredMount> clones;
  for (const DeclaredMount& mount : declared) {
    BAND_TRY(base::Fd tree, clone_tree(mount.tree.get(), false));
    clones.push_back(
        {mount.path, std::move(tree), mount.directory, mount.readable, mount.writable, mount.empty, mount.denied});
  }
  return clones;
}

// Shows the script's /band, including the mounts in it.
Status share_band(const Root& script, const Root& root) {
  BAND_CHECK(make_dir(root.make.get(), "band"));
  BAND_TRY(const base::Fd band, open_beneath(script.shown.get(), "band", O_PATH));
  BAND_TRY(const base::Fd tree, clone_tree(band.get(), true));
  return attach(tree.get(), root.shown.get(), "band");
}

Status share_work(int work, const Root& root) {
  BAND_CHECK(show(work, "workspace", root, "work", {.writable = true}));
  BAND_CHECK(show(work, "tmp", root, "tmp", {.writable = true}));
  return show(work, "home", root, layout::kHomes + 1, {.writable = true});
}

// The overlays are made for this stage and not kept by the slot: after a package upgrade, a kept overlay could still
// show the replaced files (overlay.h).
Status show_directories(const Overlays& overlays, const std::vector<layout::ProgramDirectory>& directories,
                        const Root& root) {
  for (const layout::ProgramDirectory& directory : directories) {
    BAND_TRY(const base::Fd machine, open_beneath(AT_FDCWD, directory.path, O_PATH | O_DIRECTORY));
    BAND_TRY(const base::Fd shown, overlays.over(machine.get(), {.executable = directory.executable}));
    BAND_CHECK(attach(shown.get(), root.shown.get(), directory.path.substr(1)));
  }
  return done();
}

}  // namespace

Result<CommandStage> CommandStage::build(const CommandStagePlan& plan, const Stage& script) {
  CommandStage stage;
  const FloorTree* const tree = script.declared_.empty() ? plan.tree : nullptr;
  const Layers layers = plan.tree->layers();
  BAND_TRY(stage.root_, make_root(plan.place, tree));
  stage.unmount_ = base::Undo([place = plan.place] { unmount_root(place); });
  const Root& root = stage.root_;
  BAND_TRY(const std::vector<DeclaredMount> declared, clones_of(script.declared_));
  if (tree == nullptr) {
    BAND_CHECK(show_machine(layers, root, declared));
    BAND_CHECK(show_tops(layers.floor, root, plan.tops));
  }
  BAND_CHECK(show_directories(plan.tree->overlays(), plan.directories, root));
  BAND_CHECK(share_band(script.root_, root));
  BAND_CHECK(share_work(script.work_.get(), root));
  std::vector<layout::PathRule> declared_paths;
  BAND_CHECK(place_declared(layers.floor, root, declared, declared_paths));
  for (const layout::PathRule& rule : script.paths_)
    if (rule.path != "/usr" && rule.path != kControllingTerminal) stage.paths_.push_back(rule);
  return stage;
}

}  // namespace band::view
