#include "server/view/writable_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "schemas/rules/machine_paths.h"
#include "server/view/mounts.h"

namespace band::view {
namespace {

constexpr const char* kLayer = "view";
// A directory with a longer path is masked: a path may have 4096 bytes, so entries of the directory, whose names have
// up to 255 bytes, could not be opened by their paths. A directory that is deeper than a pattern can be is masked, too,
// because opens_tree() returns false for it.
constexpr std::size_t kLongestPath = 3'800;

}  // namespace

Status WritableTree::show(const std::string& root, const Parts& parts) {
  WritableTree tree(root, parts);
  const bool readable = parts.read.opens_tree(root);
  BAND_TRY(const Below below, tree.directory(root, readable));
  if (!below.listed) return done();
  BAND_CHECK(tree.check_denies());
  return parts.mounts.bind(root, true, {readable, true});
}

Result<WritableTree::Below> WritableTree::directory(const std::string& path, bool readable) {
  Below below;
  auto opened = parts_.links.open(path, O_RDONLY | O_DIRECTORY);
  if (!opened.ok() || is_kernel_window(opened->get())) return below;
  std::unique_ptr<DIR, int (*)(DIR*)> dir(::fdopendir(opened->release()), ::closedir);
  if (!dir) return layer_error(kLayer, "cannot list /" + path, errno);
  below.listed = true;
  while (const dirent* item = ::readdir(dir.get())) {
    const std::string name = item->d_name;
    if (name == "." || name == "..") continue;
    BAND_CHECK(parts_.budget.spend(path));
    BAND_TRY(const bool masked, entry(::dirfd(dir.get()), joined(path, name), name, readable));
    below.masked = below.masked || masked;
  }
  return below;
}

// Returns true when there is a mask at `path` or below it.
Result<bool> WritableTree::entry(int dir, const std::string& path, const std::string& name, bool readable) {
  const bool is_mount = is_mount_root(dir, name);
  const Kind kind = look(dir, path, name, is_mount);
  switch (kind) {
    case Kind::Gone:
      return false;
    case Kind::Link:
      if (!parts_.links.is_link(path)) return false;
      return layer_error(
          kLayer,
          "cannot mount the target of the link /" + path + ": the link is in /" + root_ + ", which `write` allows", 0,
          "write the path of the link's target in the rule");
    case Kind::File:
      // The file needs a mount of its own in two cases: the script may read the file, but may only write in the
      // directory that contains it; or the file is a mount point, and a clone of the mount above would not show the
      // file that is mounted there.
      if (is_mount || (!readable && parts_.read.opens(path)))
        BAND_CHECK(parts_.mounts.bind(path, false, {readable || parts_.read.opens(path), true}));
      return false;
    case Kind::Directory:
      return subdirectory(path, is_mount, readable);
    case Kind::MaskedFile:
    case Kind::MaskedDirectory:
      BAND_CHECK(mask(path, kind == Kind::MaskedDirectory, readable));
      return true;
  }
  return false;
}

Result<bool> WritableTree::subdirectory(const std::string& path, bool is_mount, bool readable) {
  const bool reads = readable || parts_.read.opens_tree(path);
  Below below;
  if (path.size() <= kLongestPath) {
    BAND_TRY(below, directory(path, reads));
  }
  if (!below.listed) {
    BAND_CHECK(mask(path, true, readable));
    return true;
  }
  // If the rules open everything inside the directory, but not its name (`/dir/.config/**`), the directory becomes a
  // mount, because a mount cannot be renamed.
  const bool keeps_name = !parts_.write.opens(path);
  if (below.masked || is_mount || reads != readable || keeps_name)
    BAND_CHECK(parts_.mounts.bind(path, true, {reads, true}));
  return below.masked;
}

WritableTree::Kind WritableTree::look(int dir, const std::string& path, const std::string& name, bool is_mount) const {
  struct stat info {};
  if (::fstatat(dir, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return Kind::Gone;
  if (S_ISDIR(info.st_mode)) return parts_.write.opens_tree(path) ? Kind::Directory : Kind::MaskedDirectory;
  if (!parts_.write.opens(path)) return Kind::MaskedFile;
  if (S_ISLNK(info.st_mode)) return Kind::Link;         // the link is resolved inside the view
  if (!S_ISREG(info.st_mode)) return Kind::MaskedFile;  // sockets, too, because connect(2) works on a read-only mount
  const base::Fd fd(is_mount ? ::openat(dir, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC) : -1);
  return fd && is_kernel_window(fd.get()) ? Kind::MaskedFile : Kind::File;
}

Status WritableTree::mask(const std::string& path, bool is_directory, bool readable) {
  masked_.push_back(path);
  const std::string denied = denied_by(path);
  // The rules open the name of this directory, but it cannot be listed, or is too deep to be walked: it gets an empty
  // mask.
  if (is_directory && denied.empty() && parts_.write.opens(path)) return parts_.mounts.cover(path, true, "");
  if (is_directory) {
    bool whole = false;
    if (parts_.read.may_open_below(path) && !parts_.read.denies(path)) {
      BAND_TRY(whole, parts_.reading.directory(path));
    }
    if (denied.empty()) BAND_CHECK(compose(path, readable));
    if (whole) return parts_.mounts.bind(path, true, {true, false}, denied);
  } else if (parts_.read.opens(path)) {
    const auto opened = parts_.links.open(path, O_PATH | O_NOFOLLOW);
    struct stat info {};
    if (opened.ok() && ::fstat(opened->get(), &info) == 0 && S_ISREG(info.st_mode) && !is_kernel_window(opened->get()))
      return parts_.mounts.bind(path, false, {true, false}, denied);
  }
  return parts_.mounts.cover(path, is_directory, denied);
}

// Binds the paths that rules open by name in a directory whose own name begins with a dot.
Status WritableTree::compose(const std::string& path, bool readable) {
  if (!parts_.write.may_open_below(path)) return done();
  const std::size_t before = parts_.mounts.found().size();
  BAND_TRY(const bool whole, parts_.writing.directory(path));
  // `whole` is never true here: Composer::directory() returns true only if opens_tree() is true, and such a directory
  // gets no mask.
  static_cast<void>(whole);
  // A path cannot be writable only in a directory that can be read, because Landlock rights are inherited from the
  // directory above, and no Landlock rule can remove a right.
  for (std::size_t i = before; readable && i < parts_.mounts.found().size(); ++i) {
    const DeclaredMount& mount = parts_.mounts.found()[i];
    if (mount.writable && !(mount.directory ? parts_.read.opens_tree(mount.path) : parts_.read.opens(mount.path)))
      return layer_error(
          kLayer, "cannot allow only writing to /" + mount.path + ": the path is in /" + root_ + ", which can be read",
          0, "name this path in `read`, too");
  }
  return done();
}

std::string WritableTree::denied_by(const std::string& path) const {
  constexpr auto kDenies = PathPattern::Reading::Denies;
  for (const std::string& name : parts_.write.spellings(path)) {
    const auto tree = tree_below(name);  // `/dir/name/**` closes all entries of /dir/name, also new ones
    for (const auto& denies : {parts_.write.own_denies(), parts_.write.other_denies()})
      for (const PathPattern* deny : denies)
        if (deny->matches(name, kDenies) || (tree.ok() && deny->covers(*tree, kDenies))) return deny->text();
  }
  return "";
}

bool WritableTree::is_masked(const std::string& path) const {
  return std::any_of(masked_.begin(), masked_.end(), [&](const auto& mask) { return is_at_or_below(path, mask); });
}

Status WritableTree::check_denies() const {
  for (const std::string& root : parts_.write.spellings(root_)) {
    for (const PathPattern* deny : parts_.write.own_denies()) BAND_CHECK(check_deny(*deny, root, true));
    for (const PathPattern* deny : parts_.write.other_denies()) BAND_CHECK(check_deny(*deny, root, false));
  }
  return done();
}

// `root` is one spelling of root_.
Status WritableTree::check_deny(const PathPattern& deny, const std::string& root, bool of_write) const {
  BAND_TRY(const PathPattern tree, tree_below(root));
  const std::string subject = std::string("deny.") + (of_write ? "write `" : "read `") + deny.text() + "` inside /" +
                              root_ + ", which `write` allows";
  if (!deny.is_literal() && !deny.is_whole_tree()) {
    // For reading, rules do not open names with a leading dot, so such names need no mask. A deny of writing must match
    // them, too, because a script could make such a name.
    const bool meets = tree.may_overlap(deny) || (of_write && deny.may_overlap(tree));
    if (!meets) return done();
    return Error{.code = Code::SkillInvalid,
                 .layer = kLayer,
                 .doing = subject + ": this deny has wildcards",
                 .hint = kNoWildcards};
  }
  const std::string path = deny.literal_prefix();
  if (path == root || !is_at_or_below(path, root) || is_masked(root_ + path.substr(root.size()))) return done();
  // The deny `/dir/name/**` closes the entries of a directory. If /dir/name is a file or does not exist, the deny
  // closes nothing.
  return layer_error(kLayer, subject + ": /" + path + " does not exist, so it cannot be hidden", ENOENT,
                     "create it on the machine (mkdir -p /" + path +
                         "), so that it can be hidden; or let `write` allow other directories");
}

}  // namespace band::view
