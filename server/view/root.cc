#include "server/view/root.h"

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
#include "server/base/undo.h"
#include "server/view/floor_tree.h"

namespace band::view {
namespace {

constexpr const char* kLayer = "view";
// Maximum number of inodes: for the files of the request, and for up to kMaxDeclaredMounts mount points.
constexpr std::int64_t kRootInodes = 8192;
// Directories of the tmpfs, as in root.h.
constexpr const char* kFiles = "/files";
constexpr const char* kView = "/view";

bool is_below(const std::string& path, const std::string& directory) {
  return path.size() > directory.size() && path.compare(0, directory.size(), directory) == 0 &&
         path[directory.size()] == '/';
}

Status copy_link(int directory, const std::string& name, const Root& root, const std::string& path) {
  std::string target(4096, '\0');
  const ssize_t size = ::readlinkat(directory, name.c_str(), target.data(), target.size());
  if (size < 0 || static_cast<std::size_t>(size) == target.size())
    return layer_error(kLayer, "cannot read the link /" + path, size < 0 ? errno : ENAMETOOLONG);
  target.resize(static_cast<std::size_t>(size));
  return make_link(root.make.get(), target, path);
}

// Shows a directory of the floor. If it contains a declared path, the directory is made on the stage and its entries
// are mounted one by one, so that the declared path can have a mount point among them.
Status show_floor(int floor, const Root& root, const std::string& path, const std::vector<DeclaredMount>& declared) {
  const auto touches = [&](const DeclaredMount& mount) { return is_below(mount.place(), path); };
  BAND_CHECK(make_dir(root.make.get(), path));
  if (std::none_of(declared.begin(), declared.end(), touches))
    return show(floor, path, root, path, {.executable = true});
  BAND_TRY(base::Fd fd, open_beneath(floor, path, O_RDONLY | O_DIRECTORY));
  std::unique_ptr<DIR, int (*)(DIR*)> dir(::fdopendir(fd.release()), ::closedir);
  while (const dirent* entry = dir ? ::readdir(dir.get()) : nullptr) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    std::string child = path;
    child.append("/").append(name);
    if (entry->d_type == DT_DIR) {
      BAND_CHECK(show_floor(floor, root, child, declared));
    } else if (entry->d_type == DT_LNK) {
      BAND_CHECK(copy_link(::dirfd(dir.get()), name, root, child));
    } else {
      BAND_CHECK(make_file(root.make.get(), child, "", 0644));
      BAND_CHECK(show(floor, child, root, child, {.executable = true}));
    }
  }
  return done();
}

Status show_devices(int devices, const Root& root) {
  BAND_CHECK(make_dir(root.make.get(), "dev"));
  for (const char* device : kDevices) BAND_CHECK(show_device(devices, root, device));
  BAND_CHECK(make_link(root.make.get(), "/proc/self/fd", "dev/fd"));
  BAND_CHECK(make_link(root.make.get(), "/proc/self/fd/0", "dev/stdin"));
  BAND_CHECK(make_link(root.make.get(), "/proc/self/fd/1", "dev/stdout"));
  BAND_CHECK(make_link(root.make.get(), "/proc/self/fd/2", "dev/stderr"));
  return make_link(root.make.get(), "/tmp", "dev/shm");
}

// Returns true when `path` is inside a directory that is already mounted. The mount point at `path` then exists on the
// machine.
bool is_inside_a_mount(const std::string& path, const std::set<std::string>& mounted) {
  for (std::size_t slash = path.rfind('/'); slash != std::string::npos && slash > 0; slash = path.rfind('/', slash - 1))
    if (mounted.count(path.substr(0, slash)) != 0) return true;
  return false;
}

// Adds a hint to the error for a path that contains a link. The link is part of the sandbox itself, or is in a
// directory that another rule shows.
Error explain(Error error, const DeclaredMount& mount) {
  if (error.err == ELOOP && error.hint.empty())
    error.hint = "in the sandbox a directory of the path /" + mount.path +
                 " is a link: write the path of the link's target in the rule";
  return error;
}

// Attaches a read-only clone of the directory `files` at `path`, and returns it.
Result<base::Fd> show_read_only(int files, int root, const std::string& path) {
  BAND_TRY(base::Fd shown, clone_tree(files, false));
  BAND_CHECK(restrict_tree(shown.get(), {}, false));
  BAND_CHECK(attach(shown.get(), root, path));
  return shown;
}

Status make_place(const Root& root, const DeclaredMount& mount) {
  const std::string place = mount.place();
  if (!mount.directory) {
    const Status made = make_file(root.make.get(), place, "", 0644);
    return made.ok() ? done() : explain(made.error(), mount);
  }
  const auto made = make_directories(root.make.get(), place);
  return made.ok() ? done() : explain(made.error(), mount);
}

}  // namespace

// The tmpfs is attached, because before Linux 6.15 only an attached mount can be cloned.
Result<Root> make_root(const std::string& place, const FloorTree* tree) {
  if (::mkdir(place.c_str(), 0700) != 0 && errno != EEXIST) return layer_error(kLayer, "cannot make " + place, errno);
  Root root{place, {}, {}};
  BAND_TRY(const base::Fd tmpfs, make_tmpfs({kRootRoom, kRootInodes}, {.writable = true}));
  BAND_CHECK(attach(tmpfs.get(), AT_FDCWD, place));
  base::Undo unmount([&] { unmount_root(place); });
  for (const char* name : {kFiles, kView, kWorkPlace, kMasksPlace}) BAND_CHECK(make_dir(tmpfs.get(), name + 1));
  BAND_TRY(root.make, open_beneath(tmpfs.get(), kFiles + 1, O_PATH | O_DIRECTORY));
  if (tree == nullptr) {
    BAND_TRY(root.shown, show_read_only(root.make.get(), tmpfs.get(), kView + 1));
  } else {
    BAND_TRY(root.shown, clone_tree(tree->root(), true));
    BAND_CHECK(attach(root.shown.get(), tmpfs.get(), kView + 1));
  }
  unmount.keep();
  return root;
}

Status show_made(const Root& root, const std::string& directory) {
  BAND_TRY(const base::Fd made, open_beneath(root.make.get(), directory, O_PATH | O_DIRECTORY));
  BAND_TRY(const base::Fd shown, show_read_only(made.get(), root.shown.get(), directory));
  return done();
}

void unmount_root(const std::string& place) { ::umount2(place.c_str(), MNT_DETACH); }

Status make_room(const Root& root, std::int64_t bytes) {
  BAND_TRY(const base::Fd tmpfs, open_beneath(AT_FDCWD, root.place, O_PATH | O_DIRECTORY));
  return resize_tmpfs(tmpfs.get(), {kRootRoom + bytes, kRootInodes});
}

Status make_dir(int root, const std::string& path, mode_t mode) {
  if (::mkdirat(root, path.c_str(), mode) != 0 && errno != EEXIST)
    return layer_error(kLayer, "cannot make /" + path, errno);
  return done();
}

Status make_file(int root, const std::string& path, std::string_view content, mode_t mode) {
  const std::size_t slash = path.rfind('/');
  auto made = create_beneath(root, path, mode);
  if (!made.ok() && made.error().err == ENOENT && slash != std::string::npos) {
    BAND_TRY(const base::Fd parent, make_directories(root, path.substr(0, slash)));
    made = create_beneath(root, path, mode);
  }
  BAND_TRY(const base::Fd fd, std::move(made));
  if (const Status written = base::write_all(fd.get(), content); !written.ok())
    return layer_error(kLayer, "cannot write /" + path, written.error().err);
  // The mode must not depend on the umask.
  if (::fchmod(fd.get(), mode) != 0) return layer_error(kLayer, "cannot chmod /" + path, errno);
  return done();
}

Status make_link(int root, const std::string& target, const std::string& path) {
  if (::symlinkat(target.c_str(), root, path.c_str()) != 0) return layer_error(kLayer, "cannot link /" + path, errno);
  return done();
}

Status show(int from, const std::string& source, const Root& root, const std::string& target,
            const MountRights& rights) {
  BAND_TRY(base::Fd fd, open_beneath(from, source, O_PATH));
  BAND_TRY(base::Fd tree, clone_tree(fd.get(), false));
  BAND_CHECK(restrict_tree(tree.get(), rights, false));
  return attach(tree.get(), root.shown.get(), target);
}

Status show_device(int devices, const Root& root, const std::string& device) {
  const std::string place = "dev/" + device;
  BAND_CHECK(make_file(root.make.get(), place, "", 0644));
  return show(devices, device, root, place, {.writable = true, .devices = true});
}

Status show_machine(const Layers& layers, const Root& root, const std::vector<DeclaredMount>& declared) {
  for (const char* path : {"proc", "tmp", "work"}) BAND_CHECK(make_dir(root.make.get(), path));
  for (const char* name : kUsrLinks) BAND_CHECK(make_link(root.make.get(), std::string("usr/") + name, name));
  BAND_CHECK(show_floor(layers.floor, root, "usr", declared));
  BAND_CHECK(show_floor(layers.floor, root, "etc", declared));
  return show_devices(layers.devices, root);
}

Status show_tops(int floor, const Root& root, const std::vector<std::string>& tops) {
  for (const std::string& top : tops) {
    BAND_CHECK(make_dir(root.make.get(), top));
    BAND_CHECK(show(floor, top, root, top, {.executable = true}));
  }
  return done();
}

Status place_declared(int floor, const Root& root, const std::vector<DeclaredMount>& declared,
                      std::vector<layout::PathRule>& paths) {
  std::set<std::string> mounted;
  for (const DeclaredMount& mount : declared) {
    const std::string place = mount.place(), top = place.substr(0, place.find('/'));
    const bool of_floor = top == "usr" || top == "etc";
    if (of_floor && ::faccessat(floor, place.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0)
      return layer_error(kLayer,
                         "cannot mount /" + mount.path + " into the sandbox: the sandbox has its own file at this path",
                         EEXIST,
                         "remove the rule: the sandbox's own /" + place +
                             " needs no rule; or name only paths below it that the sandbox does not have");
    if (!is_inside_a_mount(place, mounted)) BAND_CHECK(make_place(root, mount));
    if (mount.directory) mounted.insert(place);
    const Status attached = attach(mount.tree.get(), root.shown.get(), place, mount.empty);
    // If the entry that the mask would cover was removed, and no deny requires the mask, nothing has to be hidden.
    if (!attached.ok() && mount.empty && mount.denied.empty() && attached.error().err == ENOENT) continue;
    if (!attached.ok()) return explain(attached.error(), mount);
    if (mount.empty) continue;
    const auto access =
        mount.writable ? (mount.readable ? layout::Access::ReadWrite : layout::Access::Write) : layout::Access::Read;
    paths.push_back({"/" + place, access});
  }
  return done();
}

}  // namespace band::view
