#include "server/view/declared_mounts.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>

#include "server/view/mounts.h"
#include "server/view/walk.h"

namespace band::view {
namespace {

constexpr const char* kLayer = "view";

// Compares the paths segment by segment. In the order of plain text, "w-x" would be between "w" and "w/sub".
bool comes_before(const DeclaredMount& one, const DeclaredMount& other) {
  const std::string a = one.place(), b = other.place();
  const auto before = [](char x, char y) { return (x == '/' ? '\0' : x) < (y == '/' ? '\0' : y); };
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), before);
}

void merge(DeclaredMount& kept, DeclaredMount found) {
  const bool readable = kept.readable || found.readable;
  if (kept.denied.empty() && (!found.denied.empty() || found.writable || (kept.empty && !found.empty)))
    kept = std::move(found);
  kept.readable = readable;
}

}  // namespace

std::string DeclaredMount::place() const {
  for (const std::string link : kUsrLinks)
    if (is_at_or_below(path, link)) return "usr/" + path;
  return path;
}

Status DeclaredMounts::room() const {
  if (found_.size() < kMaxDeclaredMounts) return done();
  return layer_error(
      kLayer,
      "the rules need more than " + std::to_string(kMaxDeclaredMounts) +
          " mounts, one for each file that is allowed or hidden alone",
      0,
      "use a pattern that allows whole directories, `/dir/**`, without denies inside; from directories that "
      "`write` allows, remove names that begin with a dot, sockets and FIFOs");
}

Status DeclaredMounts::bind(const std::string& path, bool is_directory, Shown shown, const std::string& denied) {
  BAND_CHECK(room());
  BAND_TRY(base::Fd fd, links_.open(path, O_PATH));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return layer_error(kLayer, "cannot stat /" + path, errno);
  if (is_directory ? !S_ISDIR(info.st_mode) : !S_ISREG(info.st_mode))
    return layer_error(kLayer, "/" + path + " was replaced while the sandbox was made", 0, "run the script again");
  struct statvfs mounted {};
  if (is_kernel_window(fd.get()) || ::fstatvfs(fd.get(), &mounted) != 0) return done();
  if (shown.writable && (mounted.f_flag & ST_RDONLY) != 0)
    return Error{.code = Code::PermissionDenied,
                 .layer = kLayer,
                 .doing = "cannot write /" + path,
                 .err = EROFS,
                 .hint = "this path is on a read-only mount of the machine; write to another path"};
  BAND_TRY(base::Fd tree, clone_tree(fd.get(), false));
  BAND_CHECK(restrict_tree(tree.get(), {.writable = shown.writable}, false));
  found_.push_back({path, std::move(tree), is_directory, shown.readable, shown.writable, false, denied});
  return done();
}

Status DeclaredMounts::cover(const std::string& path, bool is_directory, const std::string& denied) {
  BAND_CHECK(room());
  found_.push_back({path, base::Fd(), is_directory, false, false, true, denied});
  return done();
}

Result<std::vector<DeclaredMount>> DeclaredMounts::merged() && {
  std::stable_sort(found_.begin(), found_.end(), comes_before);
  std::vector<DeclaredMount> result;
  for (DeclaredMount& mount : found_) {
    if (result.empty() || result.back().place() != mount.place()) {
      result.push_back(std::move(mount));
      continue;
    }
    if (links_.real(result.back().path) != links_.real(mount.path))
      return layer_error(kLayer, "cannot mount both /" + result.back().path + " and /" + mount.path, EEXIST,
                         "both are /" + mount.place() + " in the sandbox: name only one of them");
    merge(result.back(), std::move(mount));
  }
  return result;
}

}  // namespace band::view
