#include "server/view/stage.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <set>

#include "server/base/io.h"
#include "server/policy/places.h"
#include "server/view/mounts.h"
#include "server/view/workspace.h"

namespace band::view {
namespace {

constexpr const char* kLayer = "view";

// One tmpfs through two mounts. What is made goes through the first, which nobody sees and nothing is mounted on; the
// second is read-only from the start (see restrict_tree) and carries the mounts.
struct Root {
  base::Fd make, shown;
};

Result<Root> make_root(const std::string& place, std::int64_t given_bytes) {
  // 8192 inodes: the given files and the places of mounts; at most kMaxDeclaredMounts of those.
  BAND_TRY(base::Fd make, make_tmpfs({given_bytes + (4 << 20), 8192}, {.writable = true}));
  // Attached for a moment: before Linux 6.15 only what is attached can be cloned.
  BAND_CHECK(attach(make.get(), AT_FDCWD, place));
  BAND_TRY(base::Fd shown, clone_tree(make.get(), false));
  if (::umount2(place.c_str(), MNT_DETACH) != 0) return layer_error(kLayer, "detach " + place, errno);
  BAND_CHECK(restrict_tree(shown.get(), {}, false));
  BAND_CHECK(attach(shown.get(), AT_FDCWD, place));
  return Root{std::move(make), std::move(shown)};
}

Status make_dir(int root, const std::string& path, mode_t mode = 0755) {
  if (::mkdirat(root, path.c_str(), mode) != 0 && errno != EEXIST) return layer_error(kLayer, "make /" + path, errno);
  return done();
}

Status make_file(int root, const std::string& path, std::string_view content, mode_t mode) {
  const std::size_t slash = path.rfind('/');
  BAND_TRY(const base::Fd parent, make_directories(root, slash == std::string::npos ? "" : path.substr(0, slash)));
  const std::string name = path.substr(slash == std::string::npos ? 0 : slash + 1);
  base::Fd fd(::openat(parent.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!fd) return layer_error(kLayer, "create /" + path, errno);
  if (const Status written = base::write_all(fd.get(), content); !written.ok())
    return layer_error(kLayer, "write /" + path, written.error().err);
  // The umask must not decide.
  if (::fchmod(fd.get(), mode) != 0) return layer_error(kLayer, "chmod /" + path, errno);
  return done();
}

Status make_link(int root, const std::string& target, const std::string& path) {
  if (::symlinkat(target.c_str(), root, path.c_str()) != 0) return layer_error(kLayer, "link /" + path, errno);
  return done();
}

// Shows `source` (a path in directory `from`) at `target` of the stage.
Status show(int from, const std::string& source, const Root& root, const std::string& target,
            const MountRights& rights) {
  BAND_TRY(base::Fd fd, open_beneath(from, source, O_PATH));
  BAND_TRY(base::Fd tree, clone_tree(fd.get(), false));
  BAND_CHECK(restrict_tree(tree.get(), rights, false));
  return attach(tree.get(), root.shown.get(), target);
}

bool is_below(const std::string& path, const std::string& directory) {
  return path.size() > directory.size() && path.compare(0, directory.size(), directory) == 0 &&
         path[directory.size()] == '/';
}

// A directory of the floor. When a declared path lies in it the directory is made on the stage and its entries are
// shown one by one, so that the declared path can have a place among them.
Status show_floor(int floor, const Root& root, const std::string& path, const std::vector<DeclaredMount>& declared) {
  const auto touches = [&](const DeclaredMount& mount) { return is_below(mount.path, path); };
  BAND_CHECK(make_dir(root.make.get(), path));
  if (std::none_of(declared.begin(), declared.end(), touches))
    return show(floor, path, root, path, {.executable = true});
  BAND_TRY(base::Fd fd, open_beneath(floor, path, O_RDONLY | O_DIRECTORY));
  std::unique_ptr<DIR, int (*)(DIR*)> dir(::fdopendir(fd.release()), ::closedir);
  while (const dirent* entry = dir ? ::readdir(dir.get()) : nullptr) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    const std::string child = path + "/" + name;
    if (entry->d_type == DT_DIR) {
      BAND_CHECK(show_floor(floor, root, child, declared));
    } else {
      BAND_CHECK(make_file(root.make.get(), child, "", 0644));
      BAND_CHECK(show(floor, child, root, child, {.executable = true}));
    }
  }
  return done();
}

Status show_devices(const Root& root) {
  BAND_CHECK(make_dir(root.make.get(), "dev"));
  for (const char* device : {"dev/null", "dev/zero", "dev/full", "dev/random", "dev/urandom"}) {
    BAND_CHECK(make_file(root.make.get(), device, "", 0644));
    BAND_CHECK(show(AT_FDCWD, std::string("/") + device, root, device, {.writable = true, .devices = true}));
  }
  BAND_CHECK(make_link(root.make.get(), "/proc/self/fd", "dev/fd"));
  BAND_CHECK(make_link(root.make.get(), "/proc/self/fd/0", "dev/stdin"));
  BAND_CHECK(make_link(root.make.get(), "/proc/self/fd/1", "dev/stdout"));
  BAND_CHECK(make_link(root.make.get(), "/proc/self/fd/2", "dev/stderr"));
  return make_link(root.make.get(), "/tmp", "dev/shm");
}

Status put_given(int root, const Given& given) {
  for (const char* path : {"band", "band/in", "band/skill", "band/skill/lib", "band/out", "band/bin"})
    BAND_CHECK(make_dir(root, path));
  BAND_CHECK(make_file(root, policy::kCanary + 1, "", 0644));
  BAND_CHECK(make_file(root, policy::kInput + 1, given.input, 0444));
  BAND_CHECK(make_file(root, policy::kConfig + 1, given.config, 0444));
  BAND_CHECK(make_file(root, policy::kScript + 1, given.script, 0444));
  BAND_TRY(const base::Fd lib, open_beneath(root, policy::kLib + 1, O_RDONLY | O_DIRECTORY));
  // Root's, on a mount that becomes read-only; modes as the author has them.
  return write_files(lib.get(), given.lib, {0, 0});
}

std::int64_t bytes_of(const Given& given) {
  std::size_t bytes = given.script.size() + given.input.size() + given.config.size();
  for (const ShippedFile& file : given.lib) bytes += file.content.size() + 4096;
  return static_cast<std::int64_t>(bytes);
}

// Does one of the directories that are mounted already hold `path`? Then its place is there, on the machine.
bool is_inside_a_mount(const std::string& path, const std::set<std::string>& mounted) {
  for (std::size_t slash = path.rfind('/'); slash != std::string::npos && slash > 0; slash = path.rfind('/', slash - 1))
    if (mounted.count(path.substr(0, slash)) != 0) return true;
  return false;
}

// A declared path replaces nothing of the floor and gets no floor below it: both would be half of something. Sorted, so
// that what holds a path is mounted before it.
Status place_declared(const Root& root, int floor, const std::vector<DeclaredMount>& declared,
                      std::vector<policy::PathRule>& paths) {
  std::set<std::string> mounted;
  for (const DeclaredMount& mount : declared) {
    const std::string top = mount.path.substr(0, mount.path.find('/'));
    const bool of_floor = top == "usr" || top == "etc";
    if (of_floor && ::faccessat(floor, mount.path.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0)
      return layer_error(kLayer, "show /" + mount.path + ": the sandbox has its own", EEXIST,
                         "name a path that is not one of the sandbox's own (" + mount.path + ")");
    if (!is_inside_a_mount(mount.path, mounted)) {
      if (mount.directory) {
        BAND_CHECK(make_directories(root.make.get(), mount.path));
      } else {
        BAND_CHECK(make_file(root.make.get(), mount.path, "", 0644));
      }
    }
    if (mount.directory) mounted.insert(mount.path);
    BAND_CHECK(attach(mount.tree.get(), root.shown.get(), mount.path));
    const auto access =
        mount.writable ? (mount.readable ? policy::Access::ReadWrite : policy::Access::Write) : policy::Access::Read;
    paths.push_back({"/" + mount.path, access});
  }
  return done();
}

// One tmpfs for the workspace and /tmp, so that one number caps them together.
Status make_work(const StagePlan& plan, std::size_t shipped, const Root& root, base::Fd& workspace) {
  const std::int64_t own = 8 + static_cast<std::int64_t>(shipped);
  BAND_TRY(base::Fd tmpfs, make_tmpfs({plan.disk_bytes, plan.max_files + own}, {.writable = true}));
  BAND_CHECK(attach(tmpfs.get(), AT_FDCWD, plan.place + "/work"));
  for (const char* name : {"workspace", "tmp"}) {
    BAND_CHECK(make_dir(tmpfs.get(), name, 0700));
    if (::fchownat(tmpfs.get(), name, plan.owner.uid, plan.owner.gid, AT_SYMLINK_NOFOLLOW) != 0)
      return layer_error(kLayer, std::string("chown ") + name, errno);
  }
  BAND_CHECK(show(tmpfs.get(), "workspace", root, "work", {.writable = true}));
  BAND_CHECK(show(tmpfs.get(), "tmp", root, "tmp", {.writable = true}));
  BAND_TRY(workspace, open_beneath(tmpfs.get(), "workspace", O_RDONLY | O_DIRECTORY));
  return done();
}

// Output and error, each with a second one beside it that is renamed when it is complete.
Status make_out(const StagePlan& plan, const Root& root, base::Fd& out) {
  constexpr std::int64_t kErrorBytes = 64 << 10, kInodes = 16;
  BAND_TRY(base::Fd tmpfs, make_tmpfs({2 * (plan.output_bytes + kErrorBytes), kInodes}, {.writable = true}));
  BAND_TRY(out, open_beneath(tmpfs.get(), ".", O_RDONLY | O_DIRECTORY));
  if (::fchmod(out.get(), 0700) != 0 || ::fchown(out.get(), plan.owner.uid, plan.owner.gid) != 0)
    return layer_error(kLayer, "give the output's directory to the slot", errno);
  return attach(tmpfs.get(), root.shown.get(), policy::kOut + 1);
}

std::vector<policy::PathRule> own_paths() {
  using policy::Access;
  return {{"/", Access::List},
          {"/usr", Access::ReadExecute},
          {"/etc", Access::Read},
          {"/proc", Access::Read},
          {"/band/in", Access::Read},
          {"/band/skill", Access::Read},
          {"/band/out", Access::Own},
          {policy::kWork, Access::Own},
          {"/tmp", Access::Own},
          {"/dev/null", Access::Device},
          {"/dev/zero", Access::Device},
          {"/dev/full", Access::Device},
          {"/dev/random", Access::Device},
          {"/dev/urandom", Access::Device}};
}

void unmount(const std::string& place) {
  // Everything in it is dead by now; MNT_DETACH so that a stray descriptor cannot keep the tree in sight.
  ::umount2((place + "/root").c_str(), MNT_DETACH);
  ::umount2((place + "/work").c_str(), MNT_DETACH);
}

}  // namespace

Result<Stage> build_stage(const StagePlan& plan, const Given& given, const std::vector<ShippedFile>& files,
                          std::vector<DeclaredMount> declared) {
  Stage stage;
  stage.place_ = plan.place;
  for (const char* name : {"", "/root", "/work"})
    if (::mkdir((plan.place + name).c_str(), 0700) != 0 && errno != EEXIST)
      return layer_error(kLayer, "make " + plan.place + name, errno);
  stage.unmount_ = base::Undo([place = plan.place] { unmount(place); });

  BAND_TRY(const Root root, make_root(stage.root(), bytes_of(given)));
  BAND_TRY(const base::Fd floor, open_beneath(AT_FDCWD, plan.floor, O_RDONLY | O_DIRECTORY));
  for (const char* path : {"proc", "tmp", "work"}) BAND_CHECK(make_dir(root.make.get(), path));
  for (const char* name : {"bin", "lib", "lib64", "sbin"})
    BAND_CHECK(make_link(root.make.get(), std::string("usr/") + name, name));
  BAND_CHECK(show_floor(floor.get(), root, "usr", declared));
  BAND_CHECK(show_floor(floor.get(), root, "etc", declared));
  BAND_CHECK(show_devices(root));
  BAND_CHECK(put_given(root.make.get(), given));
  BAND_CHECK(make_work(plan, files.size(), root, stage.workspace_));
  BAND_CHECK(make_out(plan, root, stage.out_));
  BAND_CHECK(write_files(stage.workspace_.get(), files, plan.owner));
  stage.paths_ = own_paths();
  BAND_CHECK(place_declared(root, floor.get(), declared, stage.paths_));
  return stage;
}

}  // namespace band::view
