#include "server/view/declared.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>

#include "schemas/rules/machine_paths.h"
#include "server/view/mounts.h"
#include "server/view/opening.h"
#include "server/view/writable_tree.h"

namespace band::view {
namespace {

// The content of a deeper directory is not shown, as in the copy of a workspace. Each rule is compared with the whole
// path of each entry, so 200,000 entries (kMaxDeclaredEntries) below 2,000 directories would occupy a slot for a
// minute.
constexpr std::ptrdiff_t kMaxDepth = 128;

Error declared_error(const std::string& doing, int err, const std::string& hint) {
  return layer_error("view", doing, err, hint);
}

// Walks the machine for one use, read or write. Binds a directory whole if all its entries may be shown; otherwise
// composes it from the entries that may be shown (declared.h).
class Walk : public Composer {
 public:
  struct Parts {
    FollowedLinks& links;
    Budget& budget;
    DeclaredMounts& mounts;
    std::vector<LedgerEntry>& notes;
  };
  Walk(const Opening& opening, bool writable, const Parts& parts)
      : opening_(opening),
        writable_(writable),
        links_(parts.links),
        budget_(parts.budget),
        mounts_(parts.mounts),
        notes_(parts.notes) {}

  // Called for both uses before the first walk, because a walk must know all followed links: a followed link is left
  // out of the directory that contains it.
  Status follow_links(Who who) {
    for (const Opening::Start& start : opening_.starts()) {
      const std::string root = start.pattern->literal_prefix();
      if (root.empty() || is_of_sandbox(root)) continue;
      const auto followed = links_.follow(root, who);
      if (followed.ok()) continue;
      if (followed.error().err == 0) {  // a link that is refused (links.h)
        Error error = followed.error();
        error.doing = std::string("cannot ") + (writable_ ? "write" : "read") + " `" + start.rule->pattern + "` (" +
                      start.rule->origin + "): " + error.doing;
        return error;
      }
      unopened_[root] = followed.error().err;
    }
    return done();
  }

  // Sets the function that shows a directory for which Opening::opens_tree() is true (used for writing only).
  void show_trees_by(std::function<Status(const std::string&)> show) { show_tree_ = std::move(show); }
  // Excludes `trees`: these directories are already shown, with everything in them that may be read.
  void leave_out(const std::vector<std::string>& trees) { shown_ = trees; }
  const std::vector<std::string>& trees() const { return trees_; }

  // Walks each directory once, even if several patterns start at or below it: a walk applies all rules to each entry.
  Status all() {
    auto starts = opening_.starts();
    std::stable_sort(starts.begin(), starts.end(), [](const Opening::Start& a, const Opening::Start& b) {
      return a.pattern->literal_prefix().size() < b.pattern->literal_prefix().size();
    });
    for (const Opening::Start& one : starts) {
      const std::string root = one.pattern->literal_prefix();
      const auto holds = [&](const std::string& other) {
        return is_at_or_below(root, other) && !links_.is_link_between(other, root);
      };
      if (std::any_of(walked_.begin(), walked_.end(), holds)) continue;
      BAND_CHECK(start(one));
    }
    return done();
  }

  Result<bool> directory(const std::string& path) override {
    if (!show_tree_ || !opening_.opens_tree(path)) return list(path);
    trees_.push_back(path);
    BAND_CHECK(show_tree_(path));
    return false;
  }

 private:
  Status start(const Opening::Start& one) {
    const PathPattern& pattern = *one.pattern;
    const std::string root = pattern.literal_prefix();
    const std::string shown = "/" + root;
    // Checked before the path is opened: the slot may also lack the permission to open the path, and an error about
    // this permission would be misleading.
    if (const std::string real = links_.real(root);
        real != root && (is_of_sandbox(real) || opening_.is_closed_by_ceiling(root)))
      return closed_behind_link(one, real);
    const auto failed = unopened_.find(root);
    auto opened = links_.open(root, O_PATH);
    if (failed != unopened_.end() || !opened.ok()) {
      const int err = failed != unopened_.end() ? failed->second : opened.error().err;
      if (!one.rule->optional || (err != ENOENT && err != ENOTDIR)) return explain(pattern, shown, err);
      note(one, "missing", "is not on this machine; it is optional");
      return done();
    }
    if (!pattern.is_literal()) walked_.push_back(root);
    if (opening_.denies(root) && links_.real(root) != root)
      note(one, "closed", "has no effect: links in its path lead to /" + links_.real(root) + ", which is denied");
    struct stat info {};
    if (::fstat(opened->get(), &info) != 0) return declared_error("cannot stat " + shown, errno, "");
    if (is_kernel_window(opened->get()))
      return Error{
          .code = Code::PermissionDenied,
          .layer = "view",
          .doing = "cannot mount " + shown + " of `" + pattern.text() + "`: this path is on a kernel file system",
          .hint = "name a directory of files; proc, sysfs, cgroup and similar file systems are never mounted"};
    if (!S_ISDIR(info.st_mode)) return pattern.is_literal() ? file(pattern, root, info) : done();
    if (pattern.is_literal())
      return declared_error("`" + pattern.text() + "` is a directory", 0, "write `" + shown + "/**` for its content");
    if (!may_list(root)) return explain(pattern, shown, EACCES);
    if (is_shown(root)) return done();
    BAND_TRY(const bool whole, directory(root));
    return whole ? bind(root, true) : done();
  }

  void note(const Opening::Start& one, const char* kind, const std::string& text) {
    notes_.push_back(
        {kind,
         std::string(writable_ ? "write" : "read") + " `" + one.rule->pattern + "` (" + one.rule->origin + ") " + text,
         rule_details(*one.rule)});
  }

  Error closed_behind_link(const Opening::Start& one, const std::string& real) const {
    const bool reserved = is_of_sandbox(real);
    return Error{
        .code = Code::PermissionDenied,
        .layer = "view",
        .doing = std::string("the rule ") + (writable_ ? "write" : "read") + " `" + one.rule->pattern + "` (" +
                 one.rule->origin + ") resolves through a link to /" + real +
                 (reserved ? ", which no rule can allow" : ", which this server's ceiling does not allow"),
        .hint = reserved
                    ? "let the link point to another directory"
                    : "allow this path under `ceiling` in /etc/band/server.yaml, or remove the rule from the band"};
  }

  static Status explain(const PathPattern& pattern, const std::string& path, int err) {
    std::string hint =
        "check that the path exists on the machine that runs the script; if it may be missing, write `{path: " +
        pattern.text() + ", optional: true}`";
    if (err == ELOOP) hint = "a part of the path was replaced by a symbolic link; run the script again";
    if (err == EACCES)
      hint = "give the group `band-runner` access: chgrp band-runner " + path + " && chmod g+rX " + path;
    Error error = declared_error("cannot open " + path + " of `" + pattern.text() + "`", err, hint);
    // The permissions of the machine refuse the access; no layer has failed.
    if (err == EACCES) error.code = Code::PermissionDenied;
    return error;
  }

  bool may_list(const std::string& path) const { return links_.open(path, O_RDONLY | O_DIRECTORY).ok(); }

  // A file that a rule names must be accessible to the slot's uid: otherwise the run fails here, and not later in the
  // script.
  Status file(const PathPattern& pattern, const std::string& path, const struct stat& info) {
    if (!S_ISREG(info.st_mode) || !opening_.opens(path)) return done();
    const auto opened = links_.open(path, (writable_ ? O_WRONLY : O_RDONLY) | O_NONBLOCK);
    if (!opened.ok()) return explain(pattern, "/" + path, opened.error().err);
    return is_shown(path) ? done() : bind(path, false);
  }

  bool is_shown(const std::string& path) const {
    return std::any_of(shown_.begin(), shown_.end(), [&](const auto& tree) { return is_at_or_below(path, tree); });
  }

  Result<bool> list(const std::string& path) {
    if (std::count(path.begin(), path.end(), '/') >= kMaxDepth) return false;
    auto opened = links_.open(path, O_RDONLY | O_DIRECTORY);
    // A directory that the slot's uid cannot list is left out, because its entries are unknown (even if the uid may
    // search it).
    if (!opened.ok() || is_kernel_window(opened->get())) return false;
    std::unique_ptr<DIR, int (*)(DIR*)> dir(::fdopendir(opened->release()), ::closedir);
    if (!dir) return declared_error("cannot list /" + path, errno, "");
    bool whole = opening_.covers_tree(path);
    // The entries to bind one by one if the directory cannot be bound whole.
    std::vector<std::pair<std::string, bool>> clean;
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

  // Link: does not prevent that its directory is bound whole, because the link is resolved inside the view; a composed
  // directory does not get the link. Shown: the entry has a mount of its own, which also covers the entry if a
  // directory above it is bound whole.
  enum class Kind { File, Tree, Link, Shown, Hidden };

  Result<Kind> look(int dir, const std::string& path, const std::string& name) {
    struct stat info {};
    if (::fstatat(dir, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return Kind::Hidden;
    if (S_ISLNK(info.st_mode) && links_.is_link(path)) return Kind::Hidden;  // in the view, a mount is at this path
    if (S_ISLNK(info.st_mode)) return opening_.opens(path) ? Kind::Link : Kind::Hidden;
    if (S_ISREG(info.st_mode)) return opening_.opens(path) ? Kind::File : Kind::Hidden;
    if (!S_ISDIR(info.st_mode)) return Kind::Hidden;  // sockets, too, because connect(2) works on a read-only mount
    if (std::find(shown_.begin(), shown_.end(), path) != shown_.end()) return Kind::Shown;
    if (!opening_.may_open_below(path)) return Kind::Hidden;
    BAND_TRY(const bool whole, directory(path));
    // directory() returns true only if rules open all paths below `path`, as `/data/**` does; `/data/*.csv` does not.
    return whole ? Kind::Tree : Kind::Hidden;
  }

  Status bind(const std::string& path, bool is_directory) {
    return mounts_.bind(path, is_directory, {!writable_, writable_});
  }

  const Opening& opening_;
  bool writable_;
  FollowedLinks& links_;
  Budget& budget_;
  DeclaredMounts& mounts_;
  std::vector<LedgerEntry>& notes_;
  std::map<std::string, int> unopened_;  // literal parts of patterns that could not be opened, each with the errno
  std::function<Status(const std::string&)> show_tree_;
  std::vector<std::string> walked_, trees_, shown_;
};

// Returns true when a rule may open a path of the machine. Every layer must open a path, so it is sufficient to check
// the first layer.
bool opens_machine(const Domain& domain) {
  return !domain.opened.empty() && std::any_of(domain.opened.front().begin(), domain.opened.front().end(),
                                               [](const Rule& rule) { return rule.pattern.starts_with('/'); });
}

}  // namespace

Status check_declared(const Domain& write_rules, const Opening& read, const Opening& write) {
  BAND_CHECK(check_write_denies(write_rules));
  for (const Opening* opening : {&write, &read})
    for (const Opening::Start& start : opening->starts()) BAND_CHECK(check_machine_pattern(*start.pattern));
  return done();
}

Result<Declared> open_declared(const Rules& written, const Rules& ceiling, Who who,
                               const std::function<bool()>& go_on) {
  // Most bands need no file of the machine. For these bands, not even links in denies are resolved.
  if (!opens_machine(written.read) && !opens_machine(written.write)) {
    BAND_CHECK(check_write_denies(written.write));
    return Declared();
  }
  Rules rules = written, outer = ceiling;
  for (RuleSet* denies : {&rules.read.deny, &rules.write.deny, &outer.read.deny, &outer.write.deny})
    BAND_CHECK(add_real_denies(*denies));
  Declared declared;
  FollowedLinks& links = declared.links;
  BAND_TRY(const Opening read, Opening::of({rules.read, rules.read, outer.read, outer.read, links}));
  BAND_TRY(const Opening write, Opening::of({rules.write, rules.read, outer.write, outer.read, links}));
  BAND_CHECK(check_declared(rules.write, read, write));
  if (read.starts().empty() && write.starts().empty()) return declared;

  BAND_TRY(const base::Undo back, see_as(who));
  Budget budget{go_on};
  DeclaredMounts mounts(links);
  const Walk::Parts shared{links, budget, mounts, declared.notes};
  Walk reading(read, false, shared), writing(write, true, shared);
  for (Walk* walk : {&reading, &writing}) BAND_CHECK(walk->follow_links(who));
  const WritableTree::Parts parts{read, write, reading, writing, links, budget, mounts};
  writing.show_trees_by([&](const std::string& path) { return WritableTree::show(path, parts); });
  BAND_CHECK(writing.all());
  reading.leave_out(writing.trees());
  BAND_CHECK(reading.all());
  BAND_TRY(declared.mounts, std::move(mounts).merged());
  return declared;
}

}  // namespace band::view
