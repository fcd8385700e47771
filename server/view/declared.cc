#include "server/view/declared.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <set>

#include "schemas/path_rules.h"
#include "server/view/mounts.h"

namespace band::view {
namespace {

// Directories of the view that are band's own; nothing of the machine is mounted over or beneath them.
constexpr std::string_view kReserved[] = {"proc", "dev", "tmp", "work", "band", "sys"};

Error declared_error(const std::string& doing, int err, const std::string& hint) {
  return layer_error("view", doing, err, hint);
}

std::string escaped(const std::string& path) {
  std::string text;
  for (const char c : path) {
    if (std::string_view("*?[]\\").find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text;
}

// The rules of one use (read or write) on absolute paths. Both denies hide, whatever the use: a directory that is bound
// for writing must not show what may not be read.
class Opening {
 public:
  static Result<Opening> of(const Domain& domain, const Domain& other) {
    Domain both = domain;
    both.deny.insert(both.deny.end(), other.deny.begin(), other.deny.end());
    BAND_TRY(PathRules rules, PathRules::compile(both));
    return Opening(std::move(rules));
  }

  bool opens(const std::string& path) const { return rules_.opens(path, true); }
  bool may_open_below(const std::string& path) const { return rules_.may_open_below(path, true); }

  // Would every path below `path` be opened, whatever its name (but for leading dots)?
  bool covers_tree(const std::string& path) const {
    const auto tree = PathPattern::parse("/" + escaped(path) + "/**");
    if (!tree.ok() || rules_.opened().empty()) return false;
    for (const auto& layer : rules_.opened())
      if (std::none_of(layer.begin(), layer.end(), [&](const PathPattern& p) { return p.covers(*tree); })) return false;
    return std::none_of(rules_.deny().begin(), rules_.deny().end(),
                        [&](const PathPattern& p) { return p.absolute() && tree->may_overlap(p); }) &&
           !rules_.denies(path, true);
  }

  // Every layer must open a path, so the shortest list of starts is the first layer's.
  std::vector<const PathPattern*> starts() const {
    std::vector<const PathPattern*> patterns;
    if (!rules_.opened().empty())
      for (const PathPattern& pattern : rules_.opened().front())
        if (pattern.absolute()) patterns.push_back(&pattern);
    return patterns;
  }

 private:
  explicit Opening(PathRules rules) : rules_(std::move(rules)) {}
  PathRules rules_;
};

// Is something mounted exactly there? A clone of the mount above would show what lies beneath it.
bool is_mount_root(int dir, const std::string& name) {
  struct statx info {};
  return ::statx(dir, name.c_str(), AT_SYMLINK_NOFOLLOW, STATX_TYPE, &info) != 0 ||
         (info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

class Walk {
 public:
  Walk(const Opening& opening, bool writable, Budget& budget, std::vector<DeclaredMount>& found)
      : opening_(opening), writable_(writable), budget_(budget), found_(found) {}

  // Each place is walked once, however many patterns begin there or below: a walk asks all rules of everything.
  Status all() {
    auto patterns = opening_.starts();
    std::stable_sort(patterns.begin(), patterns.end(), [](const PathPattern* a, const PathPattern* b) {
      return a->literal_prefix().size() < b->literal_prefix().size();
    });
    for (const PathPattern* pattern : patterns) {
      const std::string root = pattern->literal_prefix();
      const auto holds = [&](const std::string& other) { return root == other || root.rfind(other + "/", 0) == 0; };
      if (std::any_of(walked_.begin(), walked_.end(), holds)) continue;
      BAND_CHECK(start(*pattern));
      if (!pattern->is_literal()) walked_.push_back(root);
    }
    return done();
  }

 private:
  Status start(const PathPattern& pattern) {
    const std::string root = pattern.literal_prefix();
    const std::string shown = "/" + root;
    if (root.empty())
      return declared_error("`" + pattern.text() + "` opens the whole machine", 0, "name a directory: `/opt/data/**`");
    for (const std::string_view reserved : kReserved)
      if (root == reserved || root.rfind(std::string(reserved) + "/", 0) == 0)
        return declared_error("`" + pattern.text() + "`: /" + std::string(reserved) + " is the sandbox's own", 0,
                              "use the workspace (`./...`) for files of the caller");
    auto opened = open_beneath(AT_FDCWD, shown, O_PATH);
    if (!opened.ok()) return explain(pattern, shown, opened.error().err);
    struct stat info {};
    if (::fstat(opened->get(), &info) != 0) return declared_error("stat " + shown, errno, "");
    if (is_kernel_window(opened->get()))
      return Error{Code::PermissionDenied,
                   "view",
                   "show " + shown + " of `" + pattern.text() + "`: it is a file system of the kernel's own",
                   0,
                   "name a directory of files; proc, sysfs, cgroup and their like are shown under no name",
                   ""};
    if (!S_ISDIR(info.st_mode)) return pattern.is_literal() ? file(pattern, root, info) : done();
    if (pattern.is_literal())
      return declared_error("`" + pattern.text() + "` is a directory", 0, "write `" + shown + "/**` for what is in it");
    if (!may_list(root)) return explain(pattern, shown, EACCES);
    BAND_TRY(const bool whole, directory(root));
    return whole ? bind(root, true) : done();
  }

  static Status explain(const PathPattern& pattern, const std::string& path, int err) {
    std::string hint = "check that it exists on the machine that runs the script";
    if (err == ELOOP) hint = "a part of it is a symbolic link; write the path that it leads to";
    if (err == EACCES)
      hint = "open it to user or group band-runner: chgrp band-runner " + path + " && chmod g+rX " + path;
    Error error = declared_error("open " + path + " of `" + pattern.text() + "`", err, hint);
    if (err == EACCES) error.code = Code::PermissionDenied;  // the host's word, not a wall that is missing
    return error;
  }

  bool may_list(const std::string& path) const {
    return open_beneath(AT_FDCWD, "/" + path, O_RDONLY | O_DIRECTORY).ok();
  }

  // A file that is named must be open to the slot's uid: a script should not have to find out that it is not.
  Status file(const PathPattern& pattern, const std::string& path, const struct stat& info) {
    if (!S_ISREG(info.st_mode) || !opening_.opens(path)) return done();
    const auto opened = open_beneath(AT_FDCWD, "/" + path, (writable_ ? O_WRONLY : O_RDONLY) | O_NONBLOCK);
    if (!opened.ok()) return explain(pattern, "/" + path, opened.error().err);
    return bind(path, false);
  }

  // True: everything in it may be shown, and whatever will be; the caller binds it, or a directory above it. False:
  // what may be shown of it has been bound.
  Result<bool> directory(const std::string& path) {
    auto opened = open_beneath(AT_FDCWD, "/" + path, O_RDONLY | O_DIRECTORY);
    // Not to be listed by the slot's uid, but perhaps to be searched: nobody knows what is in it, so it stays out.
    if (!opened.ok() || is_kernel_window(opened->get())) return false;
    std::unique_ptr<DIR, int (*)(DIR*)> dir(::fdopendir(opened->release()), ::closedir);
    if (!dir) return declared_error("list /" + path, errno, "");
    bool whole = opening_.covers_tree(path);
    std::vector<std::pair<std::string, bool>> clean;  // to be bound one by one if the directory itself cannot be
    while (const dirent* entry = ::readdir(dir.get())) {
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      BAND_CHECK(budget_.spend(path));
      BAND_TRY(const Kind kind, look(::dirfd(dir.get()), joined(path, name), name));
      if (kind == Kind::File || kind == Kind::Tree) clean.emplace_back(joined(path, name), kind == Kind::Tree);
      if (kind == Kind::Hidden || is_mount_root(::dirfd(dir.get()), name)) whole = false;
    }
    if (whole) return true;
    for (const auto& [child, is_directory] : clean) BAND_CHECK(bind(child, is_directory));
    return false;
  }

  // Link: harmless where a directory is bound whole, because it is resolved inside the view; left out of a composed
  // one.
  enum class Kind { File, Tree, Link, Hidden };

  Result<Kind> look(int dir, const std::string& path, const std::string& name) {
    struct stat info {};
    if (::fstatat(dir, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return Kind::Hidden;
    if (S_ISLNK(info.st_mode)) return opening_.opens(path) ? Kind::Link : Kind::Hidden;
    if (S_ISREG(info.st_mode)) return opening_.opens(path) ? Kind::File : Kind::Hidden;
    if (!S_ISDIR(info.st_mode)) return Kind::Hidden;  // sockets: connect(2) works on a read-only mount
    if (!opening_.may_open_below(path)) return Kind::Hidden;
    BAND_TRY(const bool whole, directory(path));
    // A directory of its own name must be opened too: `/data/**` opens it, `/data/*.csv` does not.
    return whole ? Kind::Tree : Kind::Hidden;
  }

  Status bind(const std::string& path, bool is_directory) {
    if (found_.size() >= kMaxDeclaredMounts)
      return declared_error("show more than " + std::to_string(kMaxDeclaredMounts) + " files one by one", 0,
                            "use a pattern that opens whole directories, `/dir/**`, without denies inside");
    // Opened anew by its whole path: what is mounted is what the kernel finds there now, links refused.
    BAND_TRY(base::Fd fd, open_beneath(AT_FDCWD, "/" + path, O_PATH));
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0) return declared_error("stat /" + path, errno, "");
    if (is_directory ? !S_ISDIR(info.st_mode) : !S_ISREG(info.st_mode))
      return declared_error("/" + path + " changed while it was opened", 0, "run it again");
    struct statvfs mounted {};
    if (is_kernel_window(fd.get()) || ::fstatvfs(fd.get(), &mounted) != 0) return done();
    if (writable_ && (mounted.f_flag & ST_RDONLY) != 0)
      return Error{Code::PermissionDenied,
                   "view",
                   "write /" + path,
                   EROFS,
                   "the machine has it mounted read-only; write elsewhere",
                   ""};
    BAND_TRY(base::Fd tree, clone_tree(fd.get(), false));
    BAND_CHECK(restrict_tree(tree.get(), {.writable = writable_}, false));
    found_.push_back({path, std::move(tree), is_directory, !writable_, writable_});
    return done();
  }

  const Opening& opening_;
  bool writable_;
  Budget& budget_;
  std::vector<DeclaredMount>& found_;
  std::vector<std::string> walked_;
};

Status refuse_write_against_pattern_denies(const Rules& rules) {
  BAND_TRY(const PathRules write, PathRules::compile(rules.write));
  for (const auto& layer : write.opened())
    for (const PathPattern& pattern : layer)
      for (const PathPattern& deny : write.deny())
        if (pattern.absolute() && deny.absolute() && !deny.is_literal() && !deny.is_whole_tree() &&
            pattern.may_overlap(deny))
          return Error{Code::SkillInvalid,
                       "view",
                       "write `" + pattern.text() + "` overlaps the denied pattern `" + deny.text() + "`",
                       0,
                       "a file of that name could be made at any time; deny fixed paths, or write elsewhere",
                       ""};
  return done();
}

// What both uses found is one mount that is readable and writable.
std::vector<DeclaredMount> merged(std::vector<DeclaredMount> all) {
  // By segments: as text "w-x" would come between "w" and "w/sub".
  const auto before = [](char a, char b) { return (a == '/' ? '\0' : a) < (b == '/' ? '\0' : b); };
  std::stable_sort(all.begin(), all.end(), [&](const DeclaredMount& a, const DeclaredMount& b) {
    return std::lexicographical_compare(a.path.begin(), a.path.end(), b.path.begin(), b.path.end(), before);
  });
  std::vector<DeclaredMount> result;
  for (DeclaredMount& mount : all) {
    if (!result.empty() && result.back().path == mount.path) {
      const bool readable = result.back().readable || mount.readable;
      if (mount.writable) result.back() = std::move(mount);
      result.back().readable = readable;
    } else {
      result.push_back(std::move(mount));
    }
  }
  return result;
}

}  // namespace

Result<std::vector<DeclaredMount>> open_declared(const Rules& rules, Who who, const std::function<bool()>& go_on) {
  BAND_CHECK(refuse_write_against_pattern_denies(rules));
  BAND_TRY(const Opening read, Opening::of(rules.read, rules.read));
  BAND_TRY(const Opening write, Opening::of(rules.write, rules.read));
  std::vector<DeclaredMount> found;
  if (read.starts().empty() && write.starts().empty()) return found;

  BAND_TRY(const base::Undo back, see_as(who));
  Budget budget{go_on};
  BAND_CHECK(Walk(read, false, budget, found).all());
  BAND_CHECK(Walk(write, true, budget, found).all());
  return merged(std::move(found));
}

}  // namespace band::view
